import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { PullCredential } from '@rxlet/agent-api/images';
import { abortable } from '@rxlet/component-base';
import { createEventLog } from '@rxlet/component-base/events';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import type { Pod, Secret } from '@rxlet/kube-api';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { parseCredentialProviderConfig } from './credential-provider-config.ts';
import { createCredentialSource } from './credential-source.ts';
import { hashRegistryAuth } from './registry-auth.ts';
import { createTestProviders, testAnswer } from './test-support.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const auths = (...registries: string[]) =>
  Object.fromEntries(registries.map((key) => [key, { username: `secret ${key}`, password: 'CANARY' }]));
const secretOf = (
  name: string,
  config: unknown,
  type = 'kubernetes.io/dockerconfigjson',
  key = '.dockerconfigjson',
): Secret => ({
  metadata: { name, namespace: 'ns', uid: `uid-${name}` },
  type,
  data: { [key]: base64(typeof config === 'string' ? config : JSON.stringify(config)) },
});
const dockercfg = 'kubernetes.io/dockercfg';
const podWith = (...secrets: string[]) => ({
  metadata: { name: 'web', namespace: 'ns', uid: '1' },
  spec: { containers: [], imagePullSecrets: secrets.map((name) => ({ name })) },
});
const providerOf = (name: string, more: object = {}) => ({
  name,
  matchImages: ['*.io'],
  defaultCacheDuration: '10m',
  apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
  ...more,
});
const configOf = (...providers: object[]) =>
  parseCredentialProviderConfig([
    { source: 'f', value: { apiVersion: 'kubelet.config.k8s.io/v1', kind: 'CredentialProviderConfig', providers } },
  ]);

interface Setup {
  readonly secrets?: Readonly<Record<string, Secret | Error | 'hangs'>>;
  readonly nodeConfig?: object;
  readonly providers?: readonly object[];
  readonly answer?: (request: Record<string, unknown>, name: string) => object | Error;
}

function setup({ secrets, nodeConfig, providers = [], answer = (_, name) => testAnswer(name) }: Setup = {}) {
  const clock = createVirtualClock();
  const events = createEventLog(clock);
  const logger = recordingLogger();
  const processes = createTestProviders(clock, answer);
  const secretSource = secrets && {
    async secret({ metadata }: Pod, name: string, signal?: AbortSignal) {
      const found = metadata?.namespace === 'ns' ? secrets[name] : undefined;
      if (found instanceof Error) throw found;
      if (found !== 'hangs') return found;
      return abortable(new Promise<never>(() => undefined), signal);
    },
  };
  const memory = createMemoryFiles();
  if (nodeConfig) memory.put('/root/config.json', JSON.stringify(nodeConfig), 0o600);
  const source = createCredentialSource(
    { clock, events, logger, secrets: secretSource, files: memory.hostFiles, processes },
    {
      dockerConfig: { rootDirectory: '/root', workingDirectory: '/' },
      providers: configOf(
        ...(providers.length > 0 ? providers : [providerOf('unused', { matchImages: ['unused.io'] })]),
      ),
    },
  );
  const find = (repository: string, pod = podWith(), signal?: AbortSignal) =>
    source.credentialsFor({ pod, repository, signal });
  const shown = (...more: unknown[]) =>
    inspect([logger.lines, events.list(), ...more], { showHidden: true, getters: true, depth: null }) +
    JSON.stringify(more);
  return { clock, events, logger, source, find, processes, shown };
}
const usersOf = (credentials: readonly PullCredential[]) => credentials.map(({ auth }) => auth.username);

describe('the credentials for an image', () => {
  it('come from the pull secrets, then the node, then the providers', async () => {
    const { find, shown } = setup({
      secrets: { s: secretOf('s', { auths: auths('r.io') }) },
      nodeConfig: {
        auths: {
          'r.io': { username: 'node', password: 'CANARY' },
          'r.io/a': { username: 'node a', password: 'CANARY' },
        },
      },
      providers: [providerOf('p1'), providerOf('p2')],
      answer: (_, name) =>
        testAnswer(name, { auth: { [name === 'p2' ? 'r.io/a' : 'r.io']: { username: name, password: 'CANARY' } } }),
    });
    const found = await find('r.io/a/b', podWith('s'));
    expect(usersOf(found)).toEqual(['secret r.io', 'node a', 'node', 'p2', 'p1']);
    expect(found.map(({ origin }) => origin.kind)).toEqual(['secret', 'node', 'node', 'node', 'node']);
    expect(found.every(({ auth }) => auth.password === 'CANARY')).toBe(true);
    expect(shown(found)).not.toContain('CANARY');
  });

  it('match the repository, with docker.io as the registry of a short name', async () => {
    const { find, processes } = setup({
      secrets: { s: secretOf('s', { auths: auths('docker.io', 'https://index.docker.io/v1/', 'docker.io/library') }) },
      providers: [providerOf('p', { matchImages: ['docker.io/library'] })],
      answer: () => testAnswer('p', { auth: { 'docker.io': { username: 'p', password: 'CANARY' } } }),
    });
    expect(usersOf(await find('docker.io/library/nginx', podWith('s')))).toEqual([
      'secret docker.io/library',
      'secret docker.io',
      'p',
    ]);
    expect(processes.runs[0]!.request).toMatchObject({ image: 'docker.io/library/nginx' });
    expect(usersOf(await find('docker.io/me/app', podWith('s')))).toEqual(['secret docker.io']);
    const hub = setup({ secrets: { s: secretOf('s', { auths: auths('https://index.docker.io/v1/') }) } });
    expect(usersOf(await hub.find('docker.io/library/nginx', podWith('s')))).toEqual([
      'secret https://index.docker.io/v1/',
    ]);
  });

  it('reject pull secrets that are too large or have too many registries to be read for each pull', async () => {
    const many = (count: number) => ({
      auths: Object.fromEntries(Array.from({ length: count }, (_, index) => [`r${String(index)}.io`, {}])),
    });
    const big = secretOf('big', { auths: { 'r.io': { password: 'x'.repeat(2_000_000) } } });
    const few = setup({ secrets: { a: secretOf('a', many(5000)), b: secretOf('b', many(5000)) } });
    expect(await few.find('r1.io/a', podWith('a', 'b'))).toHaveLength(2);
    const { find } = setup({
      secrets: { a: secretOf('a', many(5000)), b: secretOf('b', many(5001)), big, bigger: big },
    });
    await expect(find('r1.io/a', podWith('a', 'b'))).rejects.toMatchObject({
      name: 'PullSecretError',
      message: 'the image pull secrets of the pod have more than 10000 registries',
    });
    expect(await find('r.io/a', podWith('big'))).toHaveLength(1);
    await expect(find('r.io/a', podWith('big', 'bigger'))).rejects.toThrow('have more than 4194304 characters');
  });

  it('stay empty when nothing is configured', async () => {
    const clock = createVirtualClock();
    const events = createEventLog(clock);
    await using source = createCredentialSource({ clock, events });
    expect(await source.credentialsFor({ pod: podWith(), repository: 'docker.io/library/nginx' })).toEqual([]);
    expect(events.list()).toEqual([]);
  });
});

describe('pull secrets', () => {
  it('form one keyring of both types, with the origin of each entry', async () => {
    const { find } = setup({
      secrets: {
        a: secretOf('a', { auths: auths('r.io') }),
        b: secretOf('b', auths('r.io/x'), dockercfg, '.dockercfg'),
        other: secretOf('other', { auths: auths('r.io') }, 'Opaque'),
        empty: secretOf('empty', ''),
        crossed: secretOf('crossed', { auths: auths('r.io') }, dockercfg, '.dockerconfigjson'),
      },
    });
    const found = await find('r.io/x', podWith('a', 'other', 'empty', 'crossed', 'b'));
    expect(usersOf(found)).toEqual(['secret r.io/x', 'secret r.io']);
    expect(found.map(({ origin }) => origin)).toEqual(
      ['b', 'a'].map((name, index) => ({
        kind: 'secret',
        uid: `uid-${name}`,
        namespace: 'ns',
        name,
        credentialHash: hashRegistryAuth(found[index]!.auth),
      })),
    );
  });

  it('appear in the kubelet’s message when missing, while the rest is used', async () => {
    const { find, events, clock, logger } = setup({
      secrets: { good: secretOf('good', { auths: auths('r.io') }), bad: new Error('forbidden'), slow: 'hangs' },
    });
    const outcome = find('r.io/x', podWith('none', 'good', '', 'bad', 'slow'));
    await clock.advance(10_000);
    expect(usersOf(await outcome)).toEqual(['secret r.io']);
    expect(events.list()).toMatchObject([
      {
        object: { kind: 'Pod', name: 'web' },
        type: 'Warning',
        reason: 'FailedToRetrieveImagePullSecret',
        message:
          'Unable to retrieve some image pull secrets (none, bad, slow); attempting to pull the image may not succeed.',
      },
    ]);
    expect(logger.lines.map(({ fields }) => fields['error'])).toEqual(['forbidden', 'no answer within 10000 ms']);
  });

  it('count once when a pod names one many times', async () => {
    const { find, events } = setup({ secrets: { s: secretOf('s', { auths: auths('r.io') }) } });
    const names = Array.from({ length: 1000 }, () => ['s', 'missing']).flat();
    expect(usersOf(await find('r.io/a', podWith(...names)))).toEqual(['secret r.io']);
    expect(events.list()[0]?.message).toContain('secrets (missing);');
  });

  it('count as missing without a provider of secrets', async () => {
    const { find, events } = setup({ nodeConfig: { auths: { 'r.io': { username: 'node' } } } });
    expect(usersOf(await find('r.io/x', podWith('a', 'b')))).toEqual(['node']);
    expect(events.list()).toMatchObject([{ message: expect.stringContaining('(a, b)') as string }]);
  });

  it.each([
    [
      'half a JSON',
      secretOf('bad', '{"auths": {"r.io": {"password": "CANARY'),
      '.dockerconfigjson cannot be read: not valid JSON',
    ],
    [
      'a bad auth',
      secretOf('bad', { auths: { 'x.io': { auth: base64('CANARY') } } }),
      'the entry for "x.io": its auth must be base64 of username:password',
    ],
    [
      'a bad dockercfg',
      secretOf('bad', '["CANARY"]', dockercfg, '.dockercfg'),
      '.dockercfg cannot be read: it must be an object',
    ],
  ])('with %s fail the pull, as in a kubelet', async (_, bad, message) => {
    const { find, shown } = setup({ secrets: { good: secretOf('good', { auths: auths('r.io') }), bad } });
    const error: unknown = await find('r.io/x', podWith('good', 'bad')).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      name: 'PullSecretError',
      message: expect.stringContaining(`image pull secret ns/bad: `) as string,
    });
    expect((error as Error).message).toContain(message);
    expect(shown(error)).not.toMatch(/CANARY|Q0FOQVJZ/);
  });

  it('with a registry that is none are used without it', async () => {
    const { find, logger, shown } = setup({
      secrets: { s: secretOf('s', { auths: auths('r.io', 'me:CANARY@r.io:x') }) },
    });
    expect(usersOf(await find('r.io/x', podWith('s')))).toEqual(['secret r.io']);
    expect(logger.lines).toMatchObject([{ fields: { source: 'image pull secrets', registry: '"r.io:x"' } }]);
    expect(shown()).not.toContain('CANARY');
  });

  it('with very many registries that are none cause a few short lines in the log', async () => {
    const registries = Array.from({ length: 1000 }, (_, index) => `r.io:x${'y'.repeat(1000)}${String(index)}`);
    const { find, logger } = setup({ secrets: { s: secretOf('s', { auths: auths('r.io', ...registries) }) } });
    expect(usersOf(await find('r.io/x', podWith('s')))).toEqual(['secret r.io']);
    expect(JSON.stringify(logger.lines).length).toBeLessThan(6000);
    expect(logger.lines).toHaveLength(11);
    expect(logger.lines.at(-1)).toMatchObject({ fields: { source: 'image pull secrets', count: 990 } });
  });
});

describe('a source of credentials', () => {
  it('ends a request whose signal aborts, and all of them when disposed of', async () => {
    const { find, source, clock } = setup({ secrets: { slow: 'hangs' } });
    const controller = new AbortController();
    const first = find('r.io/x', podWith('slow'), controller.signal);
    const second = find('r.io/x', podWith('slow'));
    second.catch(() => undefined);
    controller.abort(new Error('enough'));
    await expect(first).rejects.toThrow('enough');
    await source[Symbol.asyncDispose]();
    await expect(second).rejects.toMatchObject({ name: 'LifetimeEnded' });
    await expect(find('r.io/x')).rejects.toMatchObject({ name: 'LifetimeEnded' });
    expect(clock.pendingTimers).toBe(0);
  });

  it('rejects providers that need tokens without a port for them', () => {
    const clock = createVirtualClock();
    const tokenAttributes = { serviceAccountTokenAudience: 'a', cacheType: 'Token', requireServiceAccount: true };
    const ports = { clock, events: createEventLog(clock), processes: createTestProviders(clock, () => ({})) };
    const create = () => createCredentialSource(ports, { providers: configOf(providerOf('p', { tokenAttributes })) });
    expect(create).toThrow(
      expect.objectContaining({ name: 'CredentialProviderConfigError', reason: 'TokensUnavailable' }),
    );
    expect(create).toThrow('the credential provider "p" has tokenAttributes');
  });

  it('does without a provider that fails', async () => {
    const { find, logger } = setup({
      providers: [providerOf('bad'), providerOf('good')],
      answer: (_, name) => (name === 'bad' ? new Error('no such program') : testAnswer(name)),
    });
    expect(usersOf(await find('r.io/x'))).toEqual(['good']);
    expect(logger.lines).toMatchObject([{ fields: { credentialProvider: 'bad', error: 'no such program' } }]);
  });
});
