import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

interface Manifest {
  readonly dependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
  readonly optionalDependencies: Record<string, string>;
  readonly overrides: Record<string, string | Record<string, string>>;
}

interface LockedPackage {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: string[];
  readonly license?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly optionalDependencies?: Record<string, string>;
}

interface LockFile {
  readonly packages: Record<string, LockedPackage>;
}

const PERMISSIVE = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Python-2.0',
];

const read = (file: string) => readFileSync(file, 'utf8');
const manifest = JSON.parse(read('package.json')) as Manifest;
const lock = Object.entries((JSON.parse(read('package-lock.json')) as LockFile).packages).filter(
  ([path, { link }]) => path.startsWith('node_modules/') && !link,
);

describe('the dependencies', () => {
  it('have the same versions in the repository of an extension', () => {
    const { devDependencies, overrides } = JSON.parse(read('examples/extending/package.json')) as Manifest;

    expect(manifest).toMatchObject({ devDependencies, overrides });
  });

  it('are all of an exact version', () => {
    const { dependencies, devDependencies, optionalDependencies, overrides } = manifest;
    const overridden = Object.values(overrides).flatMap((each) =>
      typeof each === 'string' ? [each] : Object.values(each),
    );
    const converter = JSON.parse(read('packages/catalog-converter/package.json')) as Manifest;
    const versions = [dependencies, devDependencies, optionalDependencies, converter.dependencies].flatMap((each) =>
      Object.values(each),
    );

    expect(
      [...versions, ...overridden].filter((version) => !/^(\d+\.\d+\.\d+(-[\w.]+)?|\$[\w@/-]+)$/.test(version)),
    ).toEqual([]);
  });

  it('are locked with the hash of what they contain, and without the address they came from', () => {
    // A registry may lack tools for other platforms; `npm ci` needs them in the list, without a hash.
    const isToolElsewhere = ({ dev, optional, os }: LockedPackage) => dev && optional && os;
    const loose = lock.filter(([, each]) => !each.integrity?.startsWith('sha512-') && !isToolElsewhere(each));

    expect(loose.map(([path]) => path)).toEqual([]);
    expect(lock.filter(([, each]) => 'resolved' in each)).toEqual([]);
  });

  it('are all in the list, for each platform, so that `npm ci` works', () => {
    const locked = new Set(lock.map(([path]) => path.split('node_modules/').pop()));
    const optional = lock.flatMap(([, { optionalDependencies }]) => Object.keys(optionalDependencies ?? {}));

    expect(optional.filter((name) => !locked.has(name))).toEqual([]);
  });

  it('have licences that ask for nothing but to be named, where they are installed for production', () => {
    const others = lock.filter(([, { dev, license }]) => !dev && !PERMISSIVE.includes(license ?? ''));

    expect(others.map(([path, { license }]) => `${path}: ${license}`)).toEqual([]);
  });

  it('are listed with their licences in docs/licences.md (npm run generate writes it)', () => {
    const current = execFileSync(process.execPath, ['tools/licences.mjs'], { encoding: 'utf8' });

    expect(read('docs/licences.md')).toBe(current);
  });
});
