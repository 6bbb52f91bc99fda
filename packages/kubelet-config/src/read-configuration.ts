import { join, resolve } from 'node:path';
import { errorMessage } from '@rxlet/component-base';
import type { HostFiles } from '@rxlet/node-files';
import { KubeletConfigurationError } from '@rxlet/component-base/kubelet-configuration';
import { parseFlags } from './flags/parse-flags.ts';
import {
  type ConfigurationFile,
  type ConfigurationSources,
  isDropIn,
  loadConfiguration,
  type LoadedConfiguration,
} from './load-configuration.ts';
import { findStartProblems } from './start-problems.ts';

/** Options of {@link readConfiguration}. */
export type ReadConfigurationOptions = Pick<ConfigurationSources, 'defaults' | 'hasLegacyDefaults'>;

type Files = Pick<HostFiles, 'list' | 'openDirectory' | 'read' | 'stat'>;

/** Maximum size of a configuration file. */
const MAX_FILE_BYTES = 10 * 1024 * 1024;

/**
 * Loads the configuration of a command line as a kubelet does when it starts: the flags, the file of `--config` and the drop-ins of `--config-dir`. It also
 * rejects what a kubelet rejects only later in its start; see `findStartProblems`.
 *
 * @throws KubeletConfigurationError with the stage that rejected the configuration
 */
export async function readConfiguration(
  files: Files,
  args: readonly string[],
  { defaults = {}, hasLegacyDefaults }: ReadConfigurationOptions = {},
): Promise<LoadedConfiguration> {
  const { values } = parseFlags(args);
  const file = values.get('config') as string | undefined;
  const directory = values.get('config-dir') as string | undefined;
  const isUnified = (await files.stat('/sys/fs/cgroup/cgroup.controllers')) !== undefined;
  const loaded = loadConfiguration({
    ...(file !== undefined && { file: await readFile(files, resolve(file), '--config') }),
    ...(directory !== undefined && { dropIns: await readDropIns(files, resolve(directory)) }),
    args,
    cgroupVersion: isUnified ? 'v2' : 'v1',
    defaults,
    hasLegacyDefaults,
  });
  const problems = findStartProblems(loaded.configuration);
  if (problems.length > 0)
    throw new KubeletConfigurationError(
      'start',
      problems.map(({ message }) => message),
    );
  return loaded;
}

async function readFile(files: Files, path: string, flag: string): Promise<ConfigurationFile> {
  const file = await reading(`the configuration file "${path}" of ${flag}`, () => files.read(path, MAX_FILE_BYTES));
  if (file === undefined) throw unreadable(`the configuration file "${path}" of ${flag}`, 'no such file');
  return { path, content: Buffer.from(file.bytes).toString() };
}

/** Reads the drop-ins of all levels. Links to directories are not followed, and other files are not read: whatever they are, they must not keep the agent from starting. */
async function readDropIns(files: Files, directory: string): Promise<ConfigurationFile[]> {
  const found: ConfigurationFile[] = [];
  const pending = [directory];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    const folder = path;
    const subject = `the directory "${folder}" of --config-dir`;
    const { kind, entries } = await reading(subject, () => files.list(folder));
    if (kind === 'file') throw unreadable(subject, 'it is not a directory');
    await using handle = await reading(subject, () => files.openDirectory(folder));
    for (const { name } of entries) {
      const path = join(folder, name);
      const info = await reading(subject, async () => handle?.stat(name));
      if (info?.kind === 'directory') pending.push(path);
      else found.push(isDropIn({ path }) ? await readFile(files, path, '--config-dir') : { path, content: '' });
    }
  }
  return found;
}

async function reading<T>(subject: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw unreadable(subject, errorMessage(error), error);
  }
}

function unreadable(subject: string, problem: string, cause?: unknown): KubeletConfigurationError {
  return new KubeletConfigurationError('read', [`cannot read ${subject}: ${problem}`], { cause });
}
