import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createSemaphore } from '@rxlet/component-base';
import type { Labels, Metrics } from '@rxlet/component-base/metrics';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { createCredentialProvider } from './credential-provider.ts';
import { parseCredentialProviderConfig } from './credential-provider-config.ts';
import { createProviderMetrics } from './provider-metrics.ts';
import { createTestProviders, testAnswer } from './test-support.ts';

const API = 'credentialprovider.kubelet.k8s.io/v1';
const never = new AbortController().signal;
const podOf = (uid = '1', serviceAccountName = 'builder') => ({
  metadata: { name: `web-${uid}`, namespace: 'ns', uid },
  spec: { containers: [], serviceAccountName },
});

interface Setup {
  readonly answer?: Parameters<typeof createTestProviders>[1];
  readonly durationMs?: number;
  readonly config?: object;
  readonly annotations?: Record<string, string>;
  readonly permits?: number;
}

function setup({ answer, durationMs = 0, config = {}, annotations = {}, permits = 10 }: Setup = {}) {
  const clock = createVirtualClock();
  const logger = recordingLogger();
  let calls = 0;
  const processes = createTestProviders(clock, answer ?? (() => testAnswer(`u${String((calls += 1))}`)), durationMs);
  const errors: Labels[] = [];
  const durations: number[] = [];
  const metrics: Metrics = {
    counter: () => ({ inc: (labels = {}) => void errors.push(labels) }),
    gauge: () => ({ set: () => undefined }),
    histogram: () => ({ observe: (value) => void durations.push(value) }),
  };
  const tokens = {
    serviceAccount: async (_: string, name: string) => {
      if (name === 'gone') throw new Error('not found');
      return { uid: `sa-${name}`, annotations };
    },
    token: async ({ podUid, audience }: { podUid: string; audience: string }) => `CANARY-${audience}-${podUid}`,
  };
  const value = {
    apiVersion: 'kubelet.config.k8s.io/v1',
    kind: 'CredentialProviderConfig',
    providers: [{ name: 'p', matchImages: ['*.io'], defaultCacheDuration: '10m', apiVersion: API, ...config }],
  };
  const provider = createCredentialProvider(
    { clock, logger, metrics: createProviderMetrics(metrics), processes, permits: createSemaphore(permits), tokens },
    parseCredentialProviderConfig([{ source: 'f', value }])[0]!,
  );
  const users = async (image: string, pod: ReturnType<typeof podOf> = podOf(), signal: AbortSignal = never) =>
    (await provider.provide(pod, image, signal)).map(({ credential }) => credential.auth.username);
  const problems = () => logger.lines.map(({ fields }) => fields['error']);
  return { clock, logger, processes, provider, users, problems, errors, durations };
}

describe('a credential provider', () => {
  it('is asked for the images of its registries only', async () => {
    const { users, processes } = setup({
      config: { matchImages: ['*.x.io:5000/team', 'r.io'], args: ['a'], env: [{ name: 'K', value: 'V' }] },
    });
    expect(await users('y.io/a')).toEqual([]);
    expect(await users('a.x.io/team/a')).toEqual([]);
    expect(processes.runs).toEqual([]);
    expect(await users('a.x.io:5000/team/a')).toEqual(['u1']);
    expect(await users('r.io/a')).toEqual(['u2']);
    expect(processes.runs[0]).toMatchObject({
      request: { kind: 'CredentialProviderRequest', apiVersion: API, image: 'a.x.io:5000/team/a' },
      command: { name: 'p', args: ['a'] },
    });
    expect(processes.runs[0]!.request).not.toHaveProperty('serviceAccountToken');
    expect(processes.runs[0]!.command.env.map(({ name, value }) => [name, value])).toEqual([['K', 'V']]);
  });

  it.each<[type: string, images: string[], users: string[]]>([
    ['Image', ['r.io/a', 'r.io/a', 'r.io/b', 'x.io/a'], ['u1', 'u1', 'u2', 'u3']],
    ['Registry', ['r.io/a', 'r.io/b', 'x.io/a', 'x.io/b'], ['u1', 'u1', 'u2', 'u2']],
    ['Global', ['r.io/a', 'r.io/b', 'x.io/a'], ['u1', 'u1', 'u1']],
  ])('keeps an answer by %s', async (cacheKeyType, images, want) => {
    let calls = 0;
    const { users } = setup({ answer: () => testAnswer(`u${String((calls += 1))}`, { cacheKeyType }) });
    const found: string[] = [];
    for (const image of images) found.push(...(await users(image)));
    expect(found).toEqual(want);
  });

  it.each<[what: string, cacheDuration: string | null, defaultCacheDuration: string, keptMs: number]>([
    ['as long as it says', '1m', '10m', 60_000],
    ['as long as the configuration says', null, '10m', 600_000],
    ['not at all when it says so', '0s', '10m', 0],
    ['not at all when the configuration says so', null, '0s', 0],
    ['not at all for less than nothing', '-1s', '10m', 0],
  ])('keeps an answer %s', async (_, cacheDuration, defaultCacheDuration, keptMs) => {
    let calls = 0;
    const answer = () => testAnswer(`u${String((calls += 1))}`, { cacheDuration });
    const { users, clock } = setup({ answer, config: { defaultCacheDuration } });
    await users('r.io/a');
    if (keptMs > 0) {
      await clock.advance(keptMs - 1);
      expect(await users('r.io/a')).toEqual(['u1']);
      await clock.advance(1);
    }
    expect(await users('r.io/a')).toEqual(['u2']);
  });

  it('runs once for concurrent requests of one image', async () => {
    const { users, clock, processes } = setup({ durationMs: 1000 });
    const outcomes = Promise.all([users('r.io/a'), users('r.io/a', podOf('2')), users('r.io/b')]);
    await clock.advance(1000);
    expect(await outcomes).toEqual([['u1'], ['u1'], ['u2']]);
    expect(processes.runs).toHaveLength(2);
  });

  it('waits for its place', async () => {
    const { users, clock, processes } = setup({ durationMs: 1000, permits: 1 });
    const outcomes = Promise.all([users('r.io/a'), users('r.io/b')]);
    await clock.advance(500);
    expect(processes.running).toBe(1);
    await clock.advance(1500);
    expect(await outcomes).toEqual([['u1'], ['u2']]);
  });

  it('is killed after a minute, and retried', async () => {
    const { users, clock, processes, problems, errors, durations } = setup({ durationMs: 120_000 });
    const outcome = users('r.io/a');
    await clock.advance(59_999);
    expect(processes.killed).toBe(0);
    await clock.advance(1);
    expect(await outcome).toEqual([]);
    expect(processes.killed).toBe(1);
    expect(problems()).toEqual(['no answer within 60000 ms']);
    expect([errors, durations]).toEqual([[{ plugin_name: 'p' }], [60]]);
    void users('r.io/a');
    await clock.settle();
    expect(processes.runs).toHaveLength(2);
  });

  it('is killed when its last caller leaves, which does not count as its error', async () => {
    const { users, clock, processes, logger, errors } = setup({ durationMs: 1000 });
    const controller = new AbortController();
    const outcome = users('r.io/a', podOf(), controller.signal);
    await clock.settle();
    controller.abort(new Error('the pod is gone'));
    await expect(outcome).rejects.toThrow('the pod is gone');
    await clock.settle();
    expect([processes.killed, errors, logger.lines]).toEqual([1, [], []]);
    expect(clock.pendingTimers).toBe(0);
  });

  const noise = { exitCode: 0, stderr: 'CANARY' };
  it.each<[what: string, answer: object | Error, problem: string]>([
    ['cannot be run', new Error('no such program'), 'no such program'],
    [
      'fails',
      {
        exitCode: 2,
        stdout: '{"auth":{"x":{"username":"me","password":"CANARY"}}}',
        stderr: 'no access with CANARY\nsorry',
      },
      'it exited with 2: no access with [redacted] sorry',
    ],
    [
      'fails with half an answer',
      { exitCode: 1, stdout: '{"auth":{"x":{"password":"CANARY-1', stderr: 'got CANARY-1' },
      'it exited with 1: got [redacted]',
    ],
    [
      'fails with a secret of its environment',
      { exitCode: 1, stdout: '', stderr: 'bad CANARY-env' },
      'it exited with 1: bad [redacted]',
    ],
    ['fails without a word', { exitCode: 1, stdout: '', stderr: '' }, 'it exited with 1'],
    ['is killed', { exitCode: undefined, stdout: '', stderr: '' }, 'it was killed'],
    ['answers nothing', { ...noise, stdout: '' }, 'its answer is not JSON'],
    ['answers what is no JSON', { ...noise, stdout: 'CANARY' }, 'its answer is not JSON'],
    ['answers a list', { ...noise, stdout: '["CANARY"]' }, 'its answer is not a JSON object'],
    [
      'answers in another version',
      testAnswer('CANARY', { apiVersion: `${API}beta1` }),
      `its answer must have apiVersion ${API}`,
    ],
    [
      'answers something else',
      testAnswer('CANARY', { kind: 'CANARY' }),
      'its answer must have kind CredentialProviderResponse',
    ],
    [
      'does not say for what its answer holds',
      testAnswer('CANARY', { cacheKeyType: undefined }),
      'its answer must have cacheKeyType Image, Registry or Global',
    ],
    [
      'does not know for how long',
      testAnswer('CANARY', { cacheDuration: 'CANARY' }),
      'its answer has a cacheDuration that is no duration',
    ],
    [
      'has a list of credentials',
      testAnswer('CANARY', { auth: ['CANARY'] }),
      'its answer has an auth that is no object',
    ],
    [
      'has a credential of numbers',
      testAnswer('CANARY', { auth: { x: { password: 1, username: 'CANARY' } } }),
      'its answer has an auth whose username and password are not strings',
    ],
  ])('has no credentials when it %s', async (_, answer, problem) => {
    const config = { env: [{ name: 'K', value: 'CANARY-env' }] };
    const { users, problems, logger, errors } = setup({ answer: () => answer, config });
    expect(await users('r.io/a')).toEqual([]);
    expect(problems()).toEqual([problem]);
    expect(errors).toEqual([{ plugin_name: 'p' }]);
    expect(logger.lines[0]).toMatchObject({ level: 'warn', fields: { credentialProvider: 'p', image: 'r.io/a' } });
    expect(inspect(logger.lines, { showHidden: true, depth: null })).not.toContain('CANARY');
  });

  it('may have no credentials, also for a while', async () => {
    const { users, processes } = setup({ answer: () => testAnswer('', { auth: null }) });
    expect([await users('r.io/a'), await users('r.io/a')]).toEqual([[], []]);
    expect(processes.runs).toHaveLength(1);
  });
});

describe('a credential provider with tokens of service accounts', () => {
  const attributes = { serviceAccountTokenAudience: 'aud', cacheType: 'ServiceAccount', requireServiceAccount: true };
  const withTokens = (change: object = {}) => ({ tokenAttributes: { ...attributes, ...change } });

  it('is given token and annotations, and its credentials are the account’s', async () => {
    const { provider, processes } = setup({
      config: withTokens({
        requiredServiceAccountAnnotationKeys: ['b'],
        optionalServiceAccountAnnotationKeys: ['a', 'c'],
      }),
      annotations: { a: '1', b: '2', d: '4' },
    });
    const [entry] = await provider.provide(podOf(), 'r.io/a', never);
    expect(entry!.credential.origin).toEqual({
      kind: 'serviceAccount',
      uid: 'sa-builder',
      namespace: 'ns',
      name: 'builder',
    });
    expect(processes.runs[0]!.request).toMatchObject({
      serviceAccountToken: 'CANARY-aud-1',
      serviceAccountAnnotations: { a: '1', b: '2' },
    });
    const shown = [entry, processes.runs[0]!.command];
    expect(inspect(shown, { showHidden: true, depth: null }) + JSON.stringify(shown)).not.toContain('CANARY');
  });

  it('shares answers between the pods of an account, but not between accounts', async () => {
    const { users, processes } = setup({ config: withTokens() });
    expect([
      await users('r.io/a'),
      await users('r.io/a', podOf('2')),
      await users('r.io/a', podOf('3', 'other')),
    ]).toEqual([['u1'], ['u1'], ['u2']]);
    expect(processes.runs).toHaveLength(2);
  });

  it('shares no answers that are for a token', async () => {
    const { users } = setup({ config: withTokens({ cacheType: 'Token' }) });
    expect([await users('r.io/a'), await users('r.io/a'), await users('r.io/a', podOf('2'))]).toEqual([
      ['u1'],
      ['u1'],
      ['u2'],
    ]);
  });

  it('may answer the token as a password only if its answers are for a token', async () => {
    const answer = ({ serviceAccountToken }: Record<string, unknown>) =>
      testAnswer('u', { auth: { 'r.io': { username: 'u', password: serviceAccountToken } } });
    const shared = setup({ answer, config: withTokens() });
    expect(await shared.users('r.io/a')).toEqual([]);
    expect(shared.problems()).toEqual([
      'its answer has the service account token as a password, which needs cacheType Token',
    ]);
    expect(await setup({ answer, config: withTokens({ cacheType: 'Token' }) }).users('r.io/a')).toEqual(['u']);
  });

  it('is not asked without a service account or its annotations, unless it may be', async () => {
    const without = podOf('1', '');
    expect(await setup({ config: withTokens() }).users('r.io/a', without)).toEqual([]);
    const optional = setup({ config: withTokens({ requireServiceAccount: false }) });
    const [entry] = await optional.provider.provide(without, 'r.io/a', never);
    expect(entry!.credential.origin).toEqual({ kind: 'node' });
    expect(optional.processes.runs[0]!.request).not.toHaveProperty('serviceAccountToken');
    const lacking = setup({ config: withTokens({ requiredServiceAccountAnnotationKeys: ['b'] }) });
    expect(await lacking.users('r.io/a')).toEqual([]);
    expect(lacking.logger.lines).toMatchObject([{ level: 'debug', fields: { annotations: ['b'] } }]);
    expect(lacking.processes.runs).toEqual([]);
  });

  it('is left out when the service account cannot be had', async () => {
    const { users, problems } = setup({ config: withTokens() });
    expect(await users('r.io/a', podOf('1', 'gone'))).toEqual([]);
    expect(problems()).toEqual(['not found']);
  });
});
