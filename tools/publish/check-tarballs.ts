import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { installationProblems } from './installations.ts';
import { compile, createConsumer, loadAll, specifiersOf, typeScript, writeSources } from './consumer-project.ts';
import { runInstalledCommands } from './installed-commands.ts';
import { packPackage, type Tarball } from './pack.ts';
import { runCommand } from './run-command.ts';
import { publicTypeProblems, tarballProblems } from './tarball-problems.ts';
import { workspaceRoot } from '../workspace/workspace-files.ts';
import { readWorkspacePackages } from '../workspace/workspace-packages.ts';

/** Installations wait for the registry most of the time. */
const CONCURRENCY = 4;

/** Packs every package, checks the tarballs, and uses them in projects without other dependencies. */
async function checkTarballs(folder: string): Promise<string[]> {
  const tarballs: Tarball[] = [];
  for (const workspacePackage of readWorkspacePackages()) {
    if (workspacePackage.manifest.private !== true) tarballs.push(await packPackage(workspacePackage, folder));
  }
  print(`packed ${String(tarballs.length)} packages`);
  const problems: string[] = [];
  const attempt = async (subject: string, check: () => Promise<unknown>): Promise<void> => {
    try {
      await check();
    } catch (error) {
      problems.push(`${subject}: ${(error as Error).message}`);
    }
  };
  const checkTarball = async (tarball: Tarball): Promise<void> => {
    const { manifest, files, content, path } = tarball;
    const { messages, pkg } = await publint({ pkgDir: content, strict: true });
    const found = [
      ...tarballProblems(manifest, files),
      ...publicTypeProblems(manifest, files),
      ...messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false }) ?? message.code}`),
    ];
    problems.push(...found.map((problem) => `${manifest.name}: ${problem}`));
    if (specifiersOf(tarball).length === 0) return;
    await attempt(manifest.name, () => checkTypes(path));
    const project = join(folder, 'alone', manifest.name);
    await attempt(manifest.name, async () => {
      await createConsumer(project, [tarball], tarballs);
      await loadAll(project, tarball);
    });
  };
  const pending = [...tarballs];
  const worker = async (): Promise<void> => {
    for (let next = pending.shift(); next !== undefined; next = pending.shift()) await checkTarball(next);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  print('each package was checked, and loaded in a project of its own');

  await attempt('sizes', async () => {
    problems.push(...(await installationProblems(folder, tarballs, print)));
  });

  const project = join(folder, 'together');
  await createConsumer(project, tarballs, tarballs, { others: typeScript });
  const examples = await writeSources(project, tarballs);
  await attempt('types', () => compile(project));
  for (const example of examples) await attempt(example, () => runCommand('node', [example], project));
  print(`${String(examples.length)} examples were compiled and run`);
  await attempt('commands', () => runInstalledCommands(project));
  return problems;
}

/** All entry points are ES modules, which require() loads since Node.js 22: that rule of the checker is about older versions. */
async function checkTypes(tarball: string): Promise<void> {
  const attw = join(workspaceRoot, 'node_modules/.bin/attw');
  const flags = ['--profile', 'node16', '--ignore-rules', 'cjs-resolves-to-esm', '--format', 'ascii', '--no-emoji'];
  await runCommand(attw, [tarball, ...flags], workspaceRoot);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const folder = await mkdtemp(join(tmpdir(), 'rxlet-tarballs-'));
try {
  const problems = await checkTarballs(folder);
  for (const problem of problems) print(problem);
  print(problems.length === 0 ? 'all tarballs are fit to be published' : `${String(problems.length)} problems`);
  if (problems.length > 0) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
