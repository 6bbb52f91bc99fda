import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { buildImage } from './build-image.ts';
import { REGISTRY_ACCOUNT, registryUnavailable, startPrivateRegistry } from './private-registry.ts';
import { findProcesses, until } from './processes.ts';

const TIMEOUT_MS = 20_000;

const unavailable = registryUnavailable();
if (unavailable !== undefined) process.stderr.write(`private registry: skipped: ${unavailable}\n`);

describe.skipIf(unavailable !== undefined)('a private registry', () => {
  const parent = mkdtempSync(join(tmpdir(), 'rxlet-'));
  const directory = join(parent, 'registry');
  afterAll(() => rmSync(parent, { recursive: true, force: true }));

  const image = (content: string): Buffer =>
    buildImage({ references: ['any'], files: [{ type: 'file', path: 'content', content }], defaults: {} });

  it('serves what is pushed, moves tags, and leaves nothing', async () => {
    const registry = await startPrivateRegistry({ directory });
    const digestOf = async (tag: string): Promise<string | null> => {
      const headers = { accept: 'application/vnd.oci.image.manifest.v1+json' };
      const answer = await fetch(`http://${registry.host}/v2/team/app/manifests/${tag}`, { method: 'HEAD', headers });
      return answer.headers.get('docker-content-digest');
    };
    const first = await registry.push('team/app:1', image('first'));
    expect(first.reference).toBe(`${registry.host}/team/app:1`);
    expect(first.digestReference).toBe(`${registry.host}/team/app@${String(await digestOf('1'))}`);
    const second = await registry.push('team/app:1', image('second'));
    expect(second.digestReference).not.toBe(first.digestReference);
    expect(second.digestReference).toBe(`${registry.host}/team/app@${String(await digestOf('1'))}`);

    await registry[Symbol.asyncDispose]();
    expect(existsSync(directory)).toBe(false);
    expect(findProcesses((argv) => argv.some((arg) => arg.includes(directory)))).toEqual([]);
  });

  it('requires the password, and shows and holds requests', async () => {
    await using registry = await startPrivateRegistry({ directory, password: true });
    await registry.push('app:1', image('secret'));
    const get = async (password?: string): Promise<number> => {
      const { username } = REGISTRY_ACCOUNT;
      const authorization = `Basic ${Buffer.from(`${username}:${String(password)}`).toString('base64')}`;
      const headers = password === undefined ? {} : { authorization };
      return (await fetch(`http://${registry.host}/v2/app/manifests/1`, { headers })).status;
    };
    expect(await get()).toBe(401);
    expect(await get('wrong')).toBe(401);

    const hold = registry.hold(/\/manifests\//);
    const answer = get(REGISTRY_ACCOUNT.password);
    await until('the request', TIMEOUT_MS, () => hold.waiting().length === 1);
    const request = { method: 'GET', path: '/v2/app/manifests/1' };
    expect(hold.waiting()).toEqual([{ ...request, user: 'puller', status: undefined }]);
    hold.release();
    expect(await answer).not.toBe(401);
    expect(registry.requests()).toMatchObject([
      { ...request, user: undefined, status: 401 },
      { ...request, user: 'puller', status: 401 },
      { ...request, user: 'puller' },
    ]);
  });

  it('stalls responses after some of their bytes', async () => {
    await using registry = await startPrivateRegistry({ directory });
    const { digestReference } = await registry.push('app:1', image('content'));
    const url = `http://${registry.host}/v2/app/manifests/${digestReference.split('@')[1]!}`;
    const accepted = { headers: { accept: 'application/vnd.oci.image.manifest.v1+json' } };
    const whole = await (await fetch(url, accepted)).text();
    using stall = registry.stall(/\/manifests\//, 10);
    const reader = (await fetch(url, accepted)).body!.getReader();
    await until('the stall', TIMEOUT_MS, () => stall.waiting().length === 1);
    let text = '';
    for (;;) {
      const { value, done } = (await reader.read()) as { value?: Uint8Array; done: boolean };
      if (done) break;
      text += Buffer.from(value ?? []).toString();
      if (text.length === 10) stall.release();
    }
    expect(text).toBe(whole);
    expect(stall.waiting()).toEqual([]);
  });
});
