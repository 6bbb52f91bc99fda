import { execFile } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { packageImports } from '../workspace/source-imports.ts';
import { markdownFiles } from './markdown-files.ts';
import {
  firstDifference,
  installedPackages,
  readBlocks,
  readCommands,
  readDocstringExamples,
  type ReadmeBlock,
} from './readme-blocks.ts';

// Each example is a process of its own, and the machine may be busy.
vi.setConfig({ maxConcurrency: 2 });

const root = join(import.meta.dirname, '../..');
const binFolder = join(root, 'node_modules/.bin');
const EXAMPLE_TIMEOUT_MS = 50_000;
const TEST_TIMEOUT_MS = 60_000;
const COMPILER_TIMEOUT_MS = 240_000;

const projects = ['packages', 'apps'].flatMap((parent) =>
  readdirSync(join(root, parent))
    .map((name) => join(root, parent, name))
    .filter((folder) => existsSync(join(folder, 'package.json'))),
);
const readmes = [
  ...[root, ...projects].map((folder) => join(folder, 'README.md')),
  ...markdownFiles(join(root, 'docs')),
]
  .filter((path) => existsSync(path))
  .map((path) => ({ path, name: relative(root, path), blocks: readBlocks(readFileSync(path, 'utf8')) }));

/** Sources with examples in docstrings. */
const sources = globSync('packages/*/src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] })
  .map((name) => ({ path: join(root, name), name, text: readFileSync(join(root, name), 'utf8') }))
  .filter(({ text }) => text.includes('@example'))
  .map(({ path, name, text }) => ({ path, name, blocks: readDocstringExamples(text) }));

interface PackageJson {
  readonly scripts?: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
}
const packageJsonOf = (folder: string): PackageJson =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as PackageJson;

function run(
  file: string,
  args: readonly string[],
  cwd: string,
  timeout = EXAMPLE_TIMEOUT_MS,
): Promise<{ code: unknown; stdout: string; stderr: string }> {
  // No options of the caller, and no colours.
  const { NODE_OPTIONS: _, FORCE_COLOR: __, ...inherited } = process.env;
  const env = { ...inherited, PATH: `${binFolder}:${inherited['PATH'] ?? ''}` };
  return new Promise((resolve) => {
    execFile(file, args, { cwd, env, timeout, killSignal: 'SIGKILL' }, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.killed ? `killed after ${String(timeout)} ms` : error.code;
      resolve({ code, stdout, stderr });
    });
  });
}

describe('every package and app', () => {
  it.each(projects.map((folder) => relative(root, folder)))('%s has a README', (folder) => {
    expect(existsSync(join(root, folder, 'README.md'))).toBe(true);
  });
});

describe('the examples', () => {
  const examples = readmes.flatMap(({ path, name, blocks }) =>
    blocks
      .filter(({ language }) => language === 'ts')
      .map((block) => ({ path, at: `${name}:${String(block.line)}`, block })),
  );

  it.concurrent.each(examples)(
    '$at runs, and prints the output that follows it',
    async ({ path, block }: { path: string; block: ReadmeBlock }) => {
      // Beside the README, so that imports are found as they are in the package.
      const file = join(dirname(path), `.readme-${String(process.pid)}-${String(block.line)}.ts`);
      try {
        await writeFile(file, block.code);
        const { code, stdout, stderr } = await run(
          join(binFolder, 'node'),
          ['--conditions=@rxlet/source', file],
          dirname(path),
        );
        expect({ code, ...(code !== 0 && { stderr }) }).toEqual({ code: 0 });
        const difference = firstDifference(block.output, stdout.split('\n'));
        expect({ difference, stdout }).toEqual({ difference: undefined, stdout });
      } finally {
        await rm(file, { force: true });
      }
    },
    TEST_TIMEOUT_MS,
  );
});

describe('the packages and tutorials', () => {
  const packages = readmes.filter(({ name }) => /^(packages|docs)\//.test(name));

  it.each(packages)('$name names what its examples need installed', ({ blocks }) => {
    const imported = blocks
      .filter(({ language }) => language === 'ts')
      .flatMap(({ code }) => packageImports(code))
      .filter((name, index, all) => all.indexOf(name) === index);
    expect(installedPackages(blocks)).toEqual(expect.arrayContaining(imported));
  });

  it.each(sources)('$name has a block after @example', ({ blocks }) => {
    expect(blocks.map(({ language }) => language)).toContain('ts');
  });

  it(
    'contain examples that compile under strict',
    async () => {
      const folder = await mkdtemp(join(root, '.readme-'));
      const files: string[] = [];
      try {
        for (const { path, blocks } of [...packages, ...sources]) {
          for (const { code, line } of blocks.filter(({ language }) => language === 'ts')) {
            // Beside the file of the example, so that imports are found as they are in the package.
            const file = join(dirname(path), `.readme-strict-${basename(path)}-${String(line)}.ts`);
            files.push(file);
            await writeFile(file, `${code}\nexport {};\n`);
          }
        }
        const compilerOptions = { noUnusedLocals: false, noUnusedParameters: false };
        const tsconfig = { extends: '../tsconfig.json', compilerOptions, files, include: [] };
        await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
        const tsc = join(root, 'node_modules/@typescript/native/bin/tsc');
        const { code, stdout } = await run(join(binFolder, 'node'), [tsc, '-p', folder], root, COMPILER_TIMEOUT_MS);
        // The compiler's own exit codes: no errors, errors with and without output.
        expect([0, 1, 2]).toContain(code ?? 0);
        // Errors in sources are the business of "npm run typecheck".
        expect(stdout.split('\n').filter((line) => line.includes('.readme-strict-'))).toEqual([]);
      } finally {
        for (const file of files) await rm(file, { force: true });
        await rm(folder, { recursive: true, force: true });
      }
    },
    COMPILER_TIMEOUT_MS,
  );
});

describe('the commands', () => {
  const commands = readmes.flatMap(({ path, name, blocks }) =>
    blocks
      .filter(({ language }) => ['sh', 'bash', 'shell', 'console'].includes(language))
      .flatMap(({ code, line }) =>
        readCommands(code).map((words) => ({ folder: dirname(path), at: `${name}:${String(line)}`, words })),
      ),
  );
  const bins = new Map(
    projects.flatMap((folder) =>
      Object.entries(packageJsonOf(folder).bin ?? {}).map(([name, file]) => [name, join(folder, file)]),
    ),
  );

  /** Commands of npm itself. */
  const NPM_COMMANDS = ['ci', 'exec', 'i', 'install', 'link', 'pack', 'publish', 'view'];
  const npmScripts = commands.flatMap(({ folder, at, words: [program, command = '', script = ''] }) =>
    program === 'npm' && !NPM_COMMANDS.includes(command)
      ? [{ folder, at, script: ['run', 'run-script'].includes(command) ? script : command }]
      : [],
  );
  if (npmScripts.length > 0) {
    it.each(npmScripts)('$at: the npm script $script exists', ({ folder, script }) => {
      const isPackage = existsSync(join(folder, 'package.json'));
      const scripts = { ...packageJsonOf(root).scripts, ...(isPackage && packageJsonOf(folder).scripts) };
      expect(Object.keys(scripts)).toContain(script);
    });
  }

  /** A flag, with the words before the first one: the subcommand whose help must list it. */
  const flags = commands.flatMap(({ at, words: [program = '', ...words] }) => {
    const bin = bins.get(basename(program));
    if (bin === undefined || !existsSync(bin)) return [];
    const first = words.findIndex((word) => word.startsWith('-'));
    const subcommand = first < 0 ? words : words.slice(0, first);
    return words
      .filter((word) => /^--?\w/.test(word))
      .map((word) => ({ at, bin, program: basename(program), subcommand, flag: word.split('=')[0]! }));
  });
  const helpTexts = new Map<string, Promise<string>>();
  const help = (bin: string, subcommand: readonly string[]): Promise<string> => {
    const key = [bin, ...subcommand].join(' ');
    // The help of rxlet has the flags that are used most.
    const args = basename(bin) === 'rxlet' && subcommand.length === 0 ? ['options'] : [...subcommand, '--help'];
    const text =
      helpTexts.get(key) ??
      run(bin, args, root).then(async ({ stdout }) =>
        // A command that starts or judges an agent takes the agent's flags as well.
        stdout.includes('[flags of the agent]') ? stdout + (await help(bin, [])) : stdout,
      );
    helpTexts.set(key, text);
    return text;
  };
  if (flags.length > 0) {
    it.each(flags)(
      '$at: $program knows $flag',
      async ({ bin, subcommand, flag }) => {
        const known = (await help(bin, subcommand)).match(/(?<![\w-])--?[a-zA-Z][\w-]*/g) ?? [];
        expect(known).toContain(flag);
      },
      TEST_TIMEOUT_MS,
    );
  }
});
