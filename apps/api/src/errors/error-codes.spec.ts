import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ERROR_CODES } from './error-codes.js';

const ROOT = join(__dirname, '../../../..');
const FOLDERS = ['libs/domain/src', 'libs/application/src', 'apps/api/src'];
const ABSTRACT = ['DomainError', 'ApplicationError', 'Rejection'];

/** Raised by the commands of operators only. No route of the API can end with them. */
const OPERATORS_ONLY = ['orders_open', 'subdomain_taken', 'api_key_not_active'];

/**
 * Signals between an adapter and its use case, which handles each of them: the API answers 500 if one escapes. And what ends
 * the start.
 */
const SIGNALS = ['ReceiptNumberTaken', 'UndeliverableMessage', 'WorkerLost', 'UndeclaredRoute'];

interface ErrorClass {
  readonly name: string;
  /** `null` when the class has no `code`. */
  readonly code: string | null;
}

/** Lists the error classes of a source file, once for each code. */
function errorClasses(text: string): ErrorClass[] {
  const found: ErrorClass[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isClassDeclaration(node) && node.name && /extends \w*(Error|Exception)\b/.test(headOf(node, text))) {
      const codes = node.members.flatMap((member) => codesOf(member, text));
      for (const code of codes.length > 0 ? codes : [null]) found.push({ name: node.name.text, code });
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true));
  return found;
}

function headOf(node: ts.ClassDeclaration, text: string): string {
  return text.slice(node.getStart(), node.members.pos);
}

function codesOf(member: ts.ClassElement, text: string): string[] {
  if (!ts.isPropertyDeclaration(member) || member.name.getText() !== 'code') return [];
  if (member.initializer && ts.isStringLiteral(member.initializer)) return [member.initializer.text];
  // AuthenticationError takes its code from the table of answers in the same file.
  return [...text.matchAll(/\bcode: '(\w+)'/g)].map(([, code]) => code as string);
}

const classes = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
    .flatMap((name) => errorClasses(readFileSync(join(ROOT, folder, name), 'utf8'))),
).filter(({ name }) => !ABSTRACT.includes(name) && !SIGNALS.includes(name));

describe('the error codes', () => {
  it('belong to every error class', () => {
    // The code of a MalformedRequest is Node's own; its answer always has the code invalid_request.
    const without = classes.filter(({ name, code }) => code === null && name !== 'MalformedRequest');

    expect(without).toEqual([]);
    expect(classes.length).toBeGreaterThan(15);
  });

  it('are documented for every error class that the API can answer with', () => {
    const codes = classes.flatMap(({ code }) => (code === null || OPERATORS_ONLY.includes(code) ? [] : [code]));

    expect(codes.filter((code) => !(code in ERROR_CODES))).toEqual([]);
  });

  it('are snake_case words', () => {
    const codes = [...Object.keys(ERROR_CODES), ...classes.flatMap(({ code }) => code ?? [])];

    expect(codes.filter((code) => !/^[a-z]+(_[a-z]+)*$/.test(code))).toEqual([]);
  });

  it('are missed by the check in a class without a code', () => {
    expect(errorClasses('class NewRefusal extends DomainError { kind = 1; }')).toEqual([
      { name: 'NewRefusal', code: null },
    ]);
  });
});
