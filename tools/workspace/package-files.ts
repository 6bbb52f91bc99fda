import { moduleFiles } from './module-files.ts';
import { sentence } from './sentence.ts';

/** Layers that a new package can belong to. */
export const LAYERS = ['foundation', 'adapter', 'subsystem'] as const;
export type Layer = (typeof LAYERS)[number];

export interface NewPackage {
  /** Folder below packages/, e.g. `node-status`; the package is called `@rxlet/node-status`. */
  readonly name: string;
  readonly layer: Layer;
  /** First sentence of the README: what the package does. */
  readonly description: string;
  readonly version: string;
}

/** Returns the files of a new package, content by path below its folder, ready to be replaced: a subsystem offers a module of the agent, other packages count periods. */
export function packageFiles({ name, layer, description, version }: NewPackage): Map<string, string> {
  const pascal = name.replace(/(^|-)(\w)/g, (_, _dash: string, letter: string) => letter.toUpperCase());
  const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
  const common: [string, string][] = [
    ['package.json', json(manifest(name, layer, sentence(description).slice(0, -1), version))],
    ['tsconfig.json', json({ extends: '../../tsconfig.json', include: ['src'] })],
    ['tsconfig.build.json', json(BUILD_TSCONFIG)],
  ];
  if (layer === 'subsystem') return new Map([...common, ...moduleFiles(name, description)]);
  return new Map([
    ...common,
    ['README.md', readme(name, pascal, description)],
    ['src/index.ts', `export { create${pascal}, type ${pascal}, type ${pascal}Ports } from './create-${name}.ts';\n`],
    [`src/create-${name}.ts`, source(pascal)],
    [`src/create-${name}.test.ts`, test(name, pascal)],
  ]);
}

function manifest(name: string, layer: Layer, description: string, version: string): object {
  return {
    name: `@rxlet/${name}`,
    version,
    description,
    keywords: ['kubernetes', name],
    license: 'Apache-2.0',
    author: 'The rxlet authors',
    type: 'module',
    sideEffects: false,
    engines: { node: '>=24' },
    exports: {
      '.': entry('index'),
      ...(layer === 'subsystem' && { './configuration': entry('configuration') }),
      './package.json': './package.json',
    },
    files: ['dist', 'src', '!**/*.test.ts', '!**/test-support*', '!**/*.tsbuildinfo'],
    publishConfig: { access: 'public' },
    scripts: { prepack: 'node ../../tools/publish/prepack.ts' },
    nx: { tags: [`layer:${layer}`], targets: { lint: {}, test: {}, build: {} } },
  };
}

function entry(file: string): object {
  return { '@rxlet/source': `./src/${file}.ts`, types: `./dist/${file}.d.ts`, default: `./dist/${file}.js` };
}

const BUILD_TSCONFIG = {
  extends: '../../tsconfig.base.json',
  compilerOptions: { rootDir: 'src', outDir: 'dist', tsBuildInfoFile: 'dist/tsconfig.tsbuildinfo' },
  include: ['src'],
  exclude: ['src/**/*.test.ts', 'src/**/test-support*'],
  references: [],
};

function readme(name: string, pascal: string, description: string): string {
  return `# @rxlet/${name}

${sentence(description)}

\`\`\`sh
npm install @rxlet/${name} @rxlet/component-base
\`\`\`

\`\`\`ts
import { sleep } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { create${pascal} } from '@rxlet/${name}';

const clock = createVirtualClock();
await using part = create${pascal}({ clock }, { periodMs: 1000 });
part.start();
const slept = sleep(clock, 3500);
await clock.advance(3500);
await slept;
console.log(part.periods(), 'periods');
\`\`\`

\`\`\`text
3 periods
\`\`\`
`;
}

function source(pascal: string): string {
  return `import type { Clock } from '@rxlet/component-base';
import { interval, Subscription } from 'rxjs';

export interface ${pascal}Ports {
  readonly clock: Clock;
}

export interface ${pascal} extends AsyncDisposable {
  /** Starts the work; creation alone does nothing. */
  start(): void;
  /** Returns the number of periods that have passed. */
  periods(): number;
}

/** Creates a part that counts the periods since its start. */
export function create${pascal}({ clock }: ${pascal}Ports, { periodMs }: { readonly periodMs: number }): ${pascal} {
  const subscriptions = new Subscription();
  let periods = 0;
  return {
    start: () => {
      const count = { next: () => (periods += 1), error: () => subscriptions.unsubscribe() };
      subscriptions.add(interval(periodMs, clock.scheduler).subscribe(count));
    },
    periods: () => periods,
    [Symbol.asyncDispose]: async () => subscriptions.unsubscribe(),
  };
}
`;
}

function test(name: string, pascal: string): string {
  return `import { createVirtualClock } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { create${pascal} } from './create-${name}.ts';

describe('create${pascal}', () => {
  it('does nothing before its start', async () => {
    const clock = createVirtualClock();
    await using part = create${pascal}({ clock }, { periodMs: 1000 });
    await clock.advance(5000);
    expect(part.periods()).toBe(0);
  });

  it('stops with its disposal', async () => {
    const clock = createVirtualClock();
    const part = create${pascal}({ clock }, { periodMs: 1000 });
    part.start();
    await clock.advance(2500);
    await part[Symbol.asyncDispose]();
    await clock.advance(5000);
    expect(part.periods()).toBe(2);
  });
});
`;
}
