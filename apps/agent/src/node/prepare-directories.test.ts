import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigError } from '../config/config-error.ts';
import { prepareDirectories } from './prepare-directories.ts';

describe('prepareDirectories', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rxlet-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const prepare = (directories: { root?: string; logs?: string; links?: string } = {}): Promise<void> =>
    prepareDirectories({
      rootDirectory: directories.root ?? join(folder, 'root'),
      podLogsDirectory: directories.logs ?? join(folder, 'logs'),
      containerLogsDirectory: directories.links,
    });
  const failure = async (work: Promise<void>): Promise<string> => {
    const error: unknown = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  };

  it('creates what is missing with the modes of the kubelet', async () => {
    const links = join(folder, 'links');
    await prepare({ root: join(folder, 'deep/root'), links });
    for (const [path, mode] of [
      [join(folder, 'deep/root'), 0o750],
      [join(folder, 'logs'), 0o750],
      [links, 0o755],
    ] as const)
      expect((await stat(path)).mode & 0o777).toBe(mode);
    await prepare({ root: join(folder, 'deep/root'), links });
  });

  it.each([0o777, 0o1777, 0o702])(
    'rejects a root directory of mode %o, which every user may write to',
    async (mode) => {
      const root = join(folder, 'root');
      await mkdir(root);
      await chmod(root, mode);
      expect(await failure(prepare())).toBe(
        `cannot use the root directory "${root}": every user may write to it (mode ${mode.toString(8)}); ` +
          `run chmod o-w "${root}", or choose another with --root-dir`,
      );
    },
  );

  it('names the directory, its setting and the cause of a failure', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    expect(await failure(prepare({ root: join(file, 'root') }))).toMatch(
      /^cannot create the directory ".*\/file\/root" of --root-dir: ENOTDIR: not a directory/,
    );
    expect(await failure(prepare({ logs: join(file, 'logs') }))).toMatch(
      /^cannot create the directory ".*\/file\/logs" of podLogsDir of the configuration file: ENOTDIR/,
    );
  });
});
