import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import type { ConfigFile } from './config-files.ts';
import { nodeConfigFiles } from './node-config-files.ts';
import { createNodeDockerConfig, DOCKER_CONFIG_LIFETIME_MS, dockerConfigPaths } from './node-docker-config.ts';

const places = { rootDirectory: '/root', workingDirectory: '/work', homeDirectory: '/home' };
const inOrder = dockerConfigPaths(places).map(([path]) => path);
const entry = (path: string) => ({ 'r.io': { username: path, password: 'CANARY' } });
const contentOf = (path: string): string =>
  JSON.stringify(path.endsWith('config.json') ? { auths: entry(path) } : entry(path));

function setup(paths: readonly string[] = []) {
  const clock = createVirtualClock();
  const logger = recordingLogger();
  const content = new Map<string, ConfigFile | Error>(
    paths.map((path) => [path, { text: contentOf(path), mode: 0o600 }]),
  );
  const reads: string[] = [];
  const files = {
    async read(path: string) {
      reads.push(path);
      const found = content.get(path);
      if (found instanceof Error) throw found;
      return found;
    },
  };
  const config = createNodeDockerConfig({ clock, files, logger }, places);
  const users = async () => (await config.keyring()).lookup('r.io/x').map(({ auth }) => auth.username);
  return { clock, logger, content, reads, config, users, messages: () => logger.lines.map(({ message }) => message) };
}

describe('the docker config of the node', () => {
  it('is the first of the files that a kubelet looks for', async () => {
    expect(inOrder).toEqual([
      '/root/config.json',
      '/work/config.json',
      '/home/.docker/config.json',
      '/.docker/config.json',
      '/root/.dockercfg',
      '/work/.dockercfg',
      '/home/.dockercfg',
      '/.dockercfg',
    ]);
    for (let first = 0; first < inOrder.length; first += 1) {
      expect(await setup(inOrder.slice(first)).users()).toEqual([inOrder[first]]);
    }
    expect(await setup().users()).toEqual([]);
  });

  it('has credentials for every pod of the node', async () => {
    const { config } = setup(['/root/config.json']);
    expect((await config.keyring()).lookup('r.io/x')).toMatchObject([{ origin: { kind: 'node' } }]);
  });

  it('is read again after five minutes, found or not', async () => {
    const { clock, content, users, reads } = setup();
    await Promise.all([users(), users()]);
    expect(reads).toEqual(inOrder);
    content.set('/root/config.json', { text: contentOf('/root/config.json'), mode: 0o600 });
    await clock.advance(DOCKER_CONFIG_LIFETIME_MS - 1);
    expect(await users()).toEqual([]);
    await clock.advance(1);
    expect(await users()).toEqual(['/root/config.json']);
    content.clear();
    await clock.advance(DOCKER_CONFIG_LIFETIME_MS);
    expect(await users()).toEqual([]);
  });

  it('is passed over when broken, which is told once', async () => {
    const { clock, content, users, messages } = setup(['/work/config.json']);
    content.set('/root/config.json', { text: '{"auths": {"r.io": {"auth": "CANARY!"}}}', mode: 0o600 });
    expect(await users()).toEqual(['/work/config.json']);
    await clock.advance(DOCKER_CONFIG_LIFETIME_MS);
    expect(await users()).toEqual(['/work/config.json']);
    const broken =
      '/root/config.json: this docker config cannot be used: the entry for "r.io": its auth is not valid base64; repair or remove it';
    expect(messages()).toEqual([broken]);
    content.set('/root/config.json', { text: contentOf('/root/config.json'), mode: 0o600 });
    await clock.advance(DOCKER_CONFIG_LIFETIME_MS);
    expect(await users()).toEqual(['/root/config.json']);
    content.set('/root/config.json', { text: '{"auths": {"r.io": {"auth": "CANARY!"}}}', mode: 0o600 });
    await clock.advance(DOCKER_CONFIG_LIFETIME_MS);
    await users();
    expect(messages()).toEqual([broken, broken]);
  });

  it('may be read by others, with a warning, but not written', async () => {
    const { content, users, messages } = setup(['/root/config.json', '/work/config.json']);
    content.set('/root/config.json', { text: contentOf('/root/config.json'), mode: 0o666 });
    content.set('/work/config.json', { text: contentOf('/work/config.json'), mode: 0o644 });
    expect(await users()).toEqual(['/work/config.json']);
    expect(messages()).toEqual([
      '/root/config.json: this docker config cannot be used: every user may write to it; repair or remove it',
      '/work/config.json: every user may read the credentials in it; chmod 0600 it',
    ]);
  });

  it('is not there when the file system does not answer', async () => {
    const clock = createVirtualClock();
    const logger = recordingLogger();
    const files = { read: () => new Promise<never>(() => undefined) };
    const config = createNodeDockerConfig({ clock, files, logger }, places);
    const controller = new AbortController();
    const impatient = config.keyring(controller.signal);
    const patient = config.keyring();
    controller.abort(new Error('enough'));
    await expect(impatient).rejects.toThrow('enough');
    await clock.advance(10_000);
    expect((await patient).lookup('r.io/x')).toEqual([]);
    expect(logger.lines).toMatchObject([{ fields: { error: 'no answer within 10000 ms' } }]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('leaves registries aside that are none', async () => {
    const { content, config, logger } = setup();
    content.set('/root/config.json', { text: '{"auths": {"https://me:CANARY@r.io:x": {}}}', mode: 0o600 });
    await config.keyring();
    expect(logger.lines).toMatchObject([{ fields: { registry: '"https://r.io:x"', source: '/root/config.json' } }]);
    expect(JSON.stringify(logger.lines)).not.toContain('CANARY');
  });
});

describe('nodeConfigFiles', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'credentials-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('reads regular files of a limited size, and nothing else', async () => {
    const file = join(folder, 'file');
    await writeFile(file, 'ä'.repeat(50));
    await chmod(file, 0o640);
    const found = await nodeConfigFiles.read(file, 100);
    expect([found?.text, found?.mode]).toEqual(['ä'.repeat(50), 0o640]);
    expect(inspect(found, { showHidden: true }) + JSON.stringify(found)).not.toContain('ä');
    await truncate(file, 101);
    await expect(nodeConfigFiles.read(file, 100)).rejects.toThrow('it has more than 100 bytes');
    expect(await nodeConfigFiles.read(join(folder, 'none'), 100)).toBeUndefined();
    expect(await nodeConfigFiles.read(join(file, 'none'), 100)).toBeUndefined();
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    await expect(nodeConfigFiles.read(join(folder, 'pipe'), 100)).rejects.toThrow('not a regular file');
    await expect(nodeConfigFiles.read(folder, 100)).rejects.toThrow('not a regular file');
  });
});
