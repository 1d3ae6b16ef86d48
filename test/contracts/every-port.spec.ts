import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PORTS = join(__dirname, '../../libs/application/src/ports');
/** The tests replace the clock, so its adapters have no behaviour in common. */
const WITHOUT_CONTRACT = ['Clock'];

function portNames(): string[] {
  return readdirSync(PORTS)
    .map((file) => readFileSync(join(PORTS, file), 'utf8'))
    .flatMap((text) => [...text.matchAll(/^export abstract class (\w+) \{/gm)].map(([, name]) => String(name)));
}

/** Titles of the suites. A port that only occurs inside another port's suite has no contract. */
function suiteTitles(): string {
  return readdirSync(__dirname)
    .filter((file) => file.endsWith('.spec.ts') && file !== 'every-port.spec.ts')
    .flatMap((file) => readFileSync(join(__dirname, file), 'utf8').match(/^(describe|\]\)\().*/gm) ?? [])
    .join('\n');
}

describe('the ports of the application', () => {
  it('are found by this test', () => {
    expect(portNames()).toEqual(expect.arrayContaining(['Clock', 'OrderRepository', 'PipelineStages']));
  });

  it('each have a contract suite, except Clock', () => {
    const titles = suiteTitles();

    const without = portNames().filter((name) => !new RegExp(`\\b${name}\\b`).test(titles));

    expect(without).toEqual(WITHOUT_CONTRACT);
  });
});
