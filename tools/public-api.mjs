import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

// This program prints what `exports` of package.json shows to other packages, with the types: npm run generate

const { exports: faces } = JSON.parse(readFileSync('package.json', 'utf8'));
const sources = Object.entries(faces).map(([name, { default: built }]) => ({
  name: name.replace('.', 'store-commerce'),
  file: built.replace('./dist/', '').replace(/\.js$/, '.ts'),
}));

const { options } = ts.getParsedCommandLineOfConfigFile('tsconfig.json', {}, ts.sys);
const program = ts.createProgram(
  sources.map(({ file }) => file),
  options,
);
const checker = program.getTypeChecker();
const printer = ts.createPrinter({ removeComments: true });
const { NoTruncation, UseAliasDefinedOutsideCurrentScope } = ts.TypeFormatFlags;
const FLAGS = NoTruncation | UseAliasDefinedOutsideCurrentScope;
const printed = (node) => printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile());
const typeOf = (symbol) => checker.typeToString(checker.getTypeOfSymbol(symbol), undefined, FLAGS);
const modifiers = (node) => ts.getCombinedModifierFlags(node);

function describe(name, symbol) {
  const [declaration] = symbol.declarations;
  if (ts.isInterfaceDeclaration(declaration) || ts.isTypeAliasDeclaration(declaration))
    return printed(declaration).replace(/^export /, '');
  const type = checker.getTypeOfSymbol(symbol);
  if (type.getConstructSignatures().length > 0) return describeClass(name, declaration, type);
  const calls = type.getCallSignatures();
  if (calls.length === 0) return `const ${name}: ${typeOf(symbol)};`;
  return calls.map((call) => `function ${name}${checker.signatureToString(call, undefined, FLAGS)};`).join('\n');
}

/**
 * Describes what the class itself declares, and the errors that a function makes. Constructors of providers are
 * omitted, because Nest calls them.
 */
function describeClass(name, declaration, type) {
  const isMade = ts.isClassDeclaration(declaration);
  const isProvider = isMade && (ts.getDecorators(declaration) ?? []).length > 0;
  const abstract = modifiers(declaration) & ts.ModifierFlags.Abstract ? 'abstract ' : '';
  const base = isMade ? declaration.heritageClauses?.[0]?.types[0]?.expression : declaration.initializer;
  const parent = base && (ts.isCallExpression(base) ? `${base.expression.getText()}(…)` : base.getText());
  const constructors = isProvider || abstract ? [] : type.getConstructSignatures();
  const made = constructors.map(
    ({ parameters }) => `constructor(${parameters.map((each) => `${each.name}: ${typeOf(each)}`).join(', ')});`,
  );
  const lines = [...made, ...(isMade ? membersOf(declaration) : [])].map((line) => `  ${line}\n`);
  return `${abstract}class ${name}${parent ? ` extends ${parent}` : ''} {\n${lines.join('')}}`;
}

function membersOf(declaration) {
  const own = checker.getTypeAtLocation(declaration).symbol;
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  const shown = (symbol) =>
    symbol.valueDeclaration && symbol.name !== 'prototype' && !(modifiers(symbol.valueDeclaration) & hidden);
  const describeMember = (prefix) => (symbol) => {
    const words = modifiers(symbol.valueDeclaration) & ts.ModifierFlags.Readonly ? `${prefix}readonly ` : prefix;
    return `${words}${symbol.name}${symbol.flags & ts.SymbolFlags.Optional ? '?' : ''}: ${typeOf(symbol)};`;
  };
  const statics = [...own.exports.values()].filter(shown).map(describeMember('static '));
  return [...statics, ...[...own.members.values()].filter(shown).map(describeMember(''))];
}

function face({ name, file }) {
  const module = checker.getSymbolAtLocation(program.getSourceFile(path.resolve(file)));
  const lines = checker
    .getExportsOfModule(module)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((symbol) =>
      describe(symbol.name, symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol),
    );
  return `\n## ${name}\n\n\`\`\`ts\n${lines.join('\n')}\n\`\`\`\n`;
}

process.stdout.write(`# What the package shows

Written by \`npm run generate\` from the \`public.ts\` of each library and application that \`exports\` of package.json names; a
test compares it. Applications of other teams use nothing else ([extending.md](extending.md)): a change of a line here may
break them.
${sources.map(face).join('')}`);
