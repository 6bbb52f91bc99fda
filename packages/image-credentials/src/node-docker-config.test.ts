import { createMemoryFiles } from '@rxlet/node-files/testing';
import { describe, expect, it } from 'vitest';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { createNodeDockerConfig, DOCKER_CONFIG_LIFETIME_MS, dockerConfigPaths } from './node-docker-config.ts';

const places = { rootDirectory: '/root', workingDirectory: '/work', homeDirectory: '/home' };
const inOrder = dockerConfigPaths(places).map(([path]) => path);
const entry = (path: string) => ({ 'r.io': { username: path, password: 'CANARY' } });
const contentOf = (path: string): string =>
  JSON.stringify(path.endsWith('config.json') ? { auths: entry(path) } : entry(path));

function setup(paths: readonly string[] = []) {
  const clock = createVirtualClock();
  const logger = recordingLogger();
  const memory = createMemoryFiles();
  for (const path of paths) memory.put(path, contentOf(path), 0o600);
  const reads: string[] = [];
  memory.fault = (_, path) => void reads.push(path);
  const config = createNodeDockerConfig({ clock, files: memory.hostFiles, logger }, places);
  const users = async () => (await config.keyring()).lookup('r.io/x').map(({ auth }) => auth.username);
  return { clock, logger, memory, reads, config, users, messages: () => logger.lines.map(({ message }) => message) };
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
    const { clock, memory, users, reads } = setup();
    await Promise.all([users(), users()]);
    expect(reads).toEqual(inOrder);
    memory.put('/root/config.json', contentOf('/root/config.json'), 0o600);
    await clock.advance(DOCKER_CONFIG_LIFETIME_MS - 1);
    expect(await users()).toEqual([]);
    await clock.advance(1);
    expect(await users()).toEqual(['/root/config.json']);
    memory.remove('/root/config.json');
    await clock.advance(DOCKER_CONFIG_LIFETIME_MS);
    expect(await users()).toEqual([]);
  });

  it('is skipped when broken, with one warning', async () => {
    const { clock, memory, users, messages } = setup(['/work/config.json']);
    memory.put('/root/config.json', '{"auths": {"r.io": {"auth": "CANARY!"}}}', 0o600);
    expect(await users()).toEqual(['/work/config.json']);
    await clock.advance(DOCKER_CONFIG_LIFETIME_MS);
    expect(await users()).toEqual(['/work/config.json']);
    const broken =
      '/root/config.json: this docker config cannot be used: the entry for "r.io": its auth is not valid base64; repair or remove it';
    expect(messages()).toEqual([broken]);
    memory.put('/root/config.json', contentOf('/root/config.json'), 0o600);
    await clock.advance(DOCKER_CONFIG_LIFETIME_MS);
    expect(await users()).toEqual(['/root/config.json']);
    memory.put('/root/config.json', '{"auths": {"r.io": {"auth": "CANARY!"}}}', 0o600);
    await clock.advance(DOCKER_CONFIG_LIFETIME_MS);
    await users();
    expect(messages()).toEqual([broken, broken]);
  });

  it('may be read by others, with a warning, but not written', async () => {
    const { memory, users, messages } = setup(['/root/config.json', '/work/config.json']);
    memory.put('/root/config.json', contentOf('/root/config.json'), 0o666);
    memory.put('/work/config.json', contentOf('/work/config.json'), 0o644);
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
    const abortedRead = config.keyring(controller.signal);
    const patient = config.keyring();
    controller.abort(new Error('enough'));
    await expect(abortedRead).rejects.toThrow('enough');
    await clock.advance(10_000);
    expect((await patient).lookup('r.io/x')).toEqual([]);
    expect(logger.lines).toMatchObject([{ fields: { error: 'no answer within 10000 ms' } }]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('leaves registries aside that are none', async () => {
    const { memory, config, logger } = setup();
    memory.put('/root/config.json', '{"auths": {"https://me:CANARY@r.io:x": {}}}', 0o600);
    await config.keyring();
    expect(logger.lines).toMatchObject([{ fields: { registry: '"https://r.io:x"', source: '/root/config.json' } }]);
    expect(JSON.stringify(logger.lines)).not.toContain('CANARY');
  });
});
