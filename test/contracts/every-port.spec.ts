import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PORTS = join(__dirname, '../../libs/application/src/ports');
/** A test sets it; there is nothing about it to agree on. */
const WITHOUT_CONTRACT = ['Clock'];

function portNames(): string[] {
  return readdirSync(PORTS)
    .map((file) => readFileSync(join(PORTS, file), 'utf8'))
    .flatMap((text) => [...text.matchAll(/^export abstract class (\w+) \{/gm)].map(([, name]) => String(name)));
}

/** What the suites call themselves: a port that is only used by another port's suite has no contract. */
function suiteTitles(): string {
  return readdirSync(__dirname)
    .filter((file) => file.endsWith('.spec.ts') && file !== 'every-port.spec.ts')
    .flatMap((file) => readFileSync(join(__dirname, file), 'utf8').match(/^(describe|\]\)\().*/gm) ?? [])
    .join('\n');
}

describe('The ports', () => {
  it('are found', () => {
    expect(portNames()).toEqual(expect.arrayContaining(['Clock', 'OrderRepository', 'PipelineStages']));
  });

  it('have a contract suite each', () => {
    const titles = suiteTitles();

    const without = portNames().filter((name) => !new RegExp(`\\b${name}\\b`).test(titles));

    expect(without).toEqual(WITHOUT_CONTRACT);
  });
});
