import { chmod, chown, lchown, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
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
  const prepare = (
    directories: { root?: string; logs?: string; links?: string; certificates?: string } = {},
  ): Promise<void> =>
    prepareDirectories({
      rootDirectory: directories.root ?? join(folder, 'root'),
      podLogsDirectory: directories.logs ?? join(folder, 'logs'),
      containerLogsDirectory: directories.links,
      certificateDirectory: directories.certificates,
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
        `cannot use the root directory "${root}": it can be written by every user (mode ${mode.toString(8)}); ` +
          `run chmod o-w "${root}", or choose another with --root-dir`,
      );
    },
  );

  it('rejects a root directory that its group may write to', async () => {
    const root = join(folder, 'root');
    await mkdir(root);
    await chmod(root, 0o770);
    expect(await failure(prepare())).toBe(
      `cannot use the root directory "${root}": it can be written by its group (mode 770); ` +
        `run chmod g-w "${root}", or choose another with --root-dir`,
    );
  });

  it('rejects a root directory below one that every user may write to', async () => {
    await chmod(folder, 0o777);
    expect(await failure(prepare())).toBe(
      `cannot use the root directory "${join(folder, 'root')}": "${folder}" on its way can be written by every user ` +
        `(mode 777); run chmod o-w "${folder}", or choose another with --root-dir`,
    );
  });

  it('rejects keys in a directory that every user may write to', async () => {
    const certificates = join(folder, 'pki');
    await prepare({ certificates });
    await chmod(certificates, 0o777);
    expect(await failure(prepare({ certificates }))).toContain('or choose another with --cert-dir');
  });

  it.runIf(process.geteuid?.() === 0)('rejects a root directory of another user, and a link of one', async () => {
    const root = join(folder, 'root');
    await mkdir(root);
    await chown(root, 1234, 1234);
    expect(await failure(prepare())).toContain(`it belongs to another user (uid 1234); run chown 0 "${root}"`);
    const link = join(folder, 'link');
    await mkdir(join(folder, 'own'));
    await symlink('own', link);
    await lchown(link, 1234, 1234);
    expect(await failure(prepare({ root: join(link, 'root') }))).toContain('is a link of another user (uid 1234)');
  });

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
