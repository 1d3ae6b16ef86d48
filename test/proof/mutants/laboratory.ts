import { execFile, type ChildProcess } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Edit, Mutant } from './mutant.js';
import { tagsIn, type Place } from './tags.js';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const SOURCES = ['apps', 'docs', 'libs', 'packages', 'test', 'tools'];
const CONFIGURATION = ['package.json', 'package-lock.json', 'nest-cli.json', 'tsconfig.json', 'vitest.config.mjs'];
const COPIED = [...SOURCES, ...CONFIGURATION];
const COMMAND_TIMEOUT_MS = 900_000;

export interface Trial {
  readonly passed: boolean;
  readonly output: string;
  readonly seconds: number;
}

export class Laboratory {
  private running: ChildProcess | null = null;

  private constructor(private readonly directory: string) {}

  static async open(): Promise<Laboratory> {
    const laboratory = new Laboratory(mkdtempSync(path.join(tmpdir(), 'store-commerce-mutants-')));
    const { directory } = laboratory;
    const filter = (file: string) => path.basename(file) !== 'runs';
    for (const name of COPIED) {
      cpSync(path.join(ROOT, name), path.join(directory, name), { recursive: true, filter });
    }
    symlinkSync(path.join(ROOT, 'node_modules'), path.join(directory, 'node_modules'));
    await laboratory.build('--all');
    return laboratory;
  }

  close(): void {
    this.running?.kill();
    rmSync(this.directory, { recursive: true, force: true });
  }

  async checkUnchanged(mutants: readonly Mutant[]): Promise<void> {
    const proofs = new Set(mutants.map(({ proof }) => proof));
    for (const proof of proofs) {
      const { passed, output } = await this.prove(proof);
      if (!passed) throw new Error(`Without any mutant, ${proof} fails:\n${output}`);
    }
  }

  async try(mutant: Mutant): Promise<Trial> {
    const files = mutant.edits.map(([tag]) => this.placeOf(tag).file);
    const before = new Map(files.map((file) => [file, this.read(file)]));
    const projects = new Set(files.map((file) => file.split('/')[1] ?? ''));
    try {
      for (const edit of mutant.edits) this.apply(edit);
      for (const project of projects) await this.build(project);
      return await this.prove(mutant.proof);
    } finally {
      for (const [file, text] of before) writeFileSync(path.join(this.directory, file), text);
      for (const project of projects) await this.build(project);
    }
  }

  private apply([tag, replacement, count = 1]: Edit): void {
    const { file, line } = this.placeOf(tag);
    const lines = this.read(file).split('\n');
    lines.splice(line, count, ...(replacement === undefined ? [] : [replacement]));
    writeFileSync(path.join(this.directory, file), lines.join('\n'));
  }

  private placeOf(tag: string): Place {
    const [place, ...others] = tagsIn(this.directory).get(tag) ?? [];
    if (!place || others.length > 0) throw new Error(`The tag ${tag} occurs ${place ? others.length + 1 : 0} times`);
    return place;
  }

  private read(file: string): string {
    return readFileSync(path.join(this.directory, file), 'utf8');
  }

  private async build(project: string): Promise<void> {
    const { passed, output } = await this.execute('node_modules/@nestjs/cli/bin/nest.js', 'build', project);
    if (!passed) throw new Error(`The copy does not build:\n${output}`);
  }

  private prove(proof: string): Promise<Trial> {
    const [spec = '', title] = proof.split(' -t ');
    return spec.endsWith('.spec.ts')
      ? this.execute('node_modules/vitest/vitest.mjs', 'run', spec, ...(title === undefined ? [] : ['-t', title]))
      : this.execute('node_modules/tsx/dist/cli.mjs', 'test/proof/run.ts', proof, '--quick', '--seed', '1');
  }

  private execute(script: string, ...args: readonly string[]): Promise<Trial> {
    const start = Date.now();
    // The proofs start their own database, because a mutant must not write to another one.
    const { DATABASE_URL: _, ...env } = process.env;
    // Without colours, which stand between the words of a title.
    const options = {
      cwd: this.directory,
      env: { ...env, NO_COLOR: '1' },
      timeout: COMMAND_TIMEOUT_MS,
      maxBuffer: 2 ** 26,
    };
    return new Promise((resolve) => {
      this.running = execFile(process.execPath, [script, ...args], options, (error, stdout, stderr) => {
        this.running = null;
        const seconds = Math.round((Date.now() - start) / 1_000);
        resolve({ passed: error === null, output: stdout + stderr, seconds });
      });
    });
  }
}
