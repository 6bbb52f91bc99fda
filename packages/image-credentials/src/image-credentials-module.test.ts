import { inspect } from 'node:util';
import { type AgentCore, type ModuleContext, provide, type ProvidedService, type ServiceKey } from '@rxlet/agent-api';
import { noopJournal } from '@rxlet/agent-api/journal';
import { type CredentialSource, pullCredentials } from '@rxlet/agent-api/images';
import { podObjects, serviceAccountTokens } from '@rxlet/agent-api/kube';
import { seededRandom } from '@rxlet/component-base';
import { createEventLog } from '@rxlet/component-base/events';
import { noopMetrics } from '@rxlet/component-base/metrics';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { createFakeRuntime, discardLogs } from '@rxlet/fake-cri';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { testPod } from '@rxlet/pod-model/testing';
import { NEVER } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { CredentialProviderConfig } from './credential-provider-config.ts';
import { imageCredentials, type ImageCredentialsOptions } from './image-credentials-module.ts';
import { createTestProviders, testAnswer } from './test-support.ts';

const dockerConfig = (username: string): string => JSON.stringify({ auths: { 'r.io': { username, password: 'pw' } } });

function setUp(
  optionsWith: (clock: ReturnType<typeof createVirtualClock>) => ImageCredentialsOptions = () => ({}),
  given: ProvidedService[] = [],
  files: Record<string, string> = {},
) {
  const clock = createVirtualClock();
  const random = seededRandom(1);
  const { runtime, images } = createFakeRuntime({ clock, random, logs: discardLogs });
  const { nodeFiles, hostFiles } = createMemoryFiles({ files });
  const find = <T>(key: ServiceKey<T>) => given.find((service) => service.key === key)?.service as T | undefined;
  const logger = recordingLogger();
  const events = createEventLog(clock);
  const context: ModuleContext = {
    runtime,
    images,
    files: nodeFiles,
    hostFiles,
    clock,
    random,
    logger,
    metrics: noopMetrics,
    events,
    journal: noopJournal,
    node: { name: 'node1', rootDirectory: '/root', podLogsDirectory: '/logs', ips: [] },
    services: { find, get: (key) => find(key)! },
    collections: { of: () => [] },
    // The module does not use the core.
    core: {} as AgentCore,
  };
  const parts = imageCredentials(optionsWith(clock)).setup(context)!;
  const source = parts.services!.find(({ key }) => key === pullCredentials)!.service as CredentialSource;
  const users = async (...secretNames: string[]): Promise<string[]> => {
    const pod = testPod({ spec: { imagePullSecrets: secretNames.map((name) => ({ name })) } });
    const credentials = await source.credentialsFor({ pod, repository: 'r.io/app' });
    return credentials.map(({ auth, origin }) => `${origin.kind} ${auth.username}`);
  };
  return { parts, users, events, logger };
}

const provider: CredentialProviderConfig = {
  name: 'ecr',
  matchImages: ['*.io'],
  defaultCacheDurationMs: 0,
  apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
  args: [],
  env: [],
};

describe('image credentials', () => {
  it('finds the docker config in the root directory of the agent, and in given directories', async () => {
    const own = setUp(() => ({}), [], { '/root/config.json': dockerConfig('own') });
    expect(await own.users()).toEqual(['node own']);
    const files = { '/home/me/.docker/config.json': dockerConfig('home') };
    expect(await setUp(() => ({}), [], files).users()).toEqual([]);
    expect(await setUp(() => ({ homeDirectory: '/home/me' }), [], files).users()).toEqual(['node home']);
  });

  it('reads pull secrets from the module that provides them', async () => {
    const data = { '.dockerconfigjson': Buffer.from(dockerConfig('secret')).toString('base64') };
    const secret = { metadata: { name: 's', uid: '1' }, type: 'kubernetes.io/dockerconfigjson', data };
    const { users, logger } = setUp(
      () => ({}),
      [provide(podObjects, { configMap: async () => undefined, secret: async () => secret, changes$: NEVER })],
    );
    expect(await users('s')).toEqual(['secret secret']);
    expect(inspect(logger.lines)).not.toContain('pw');
  });

  it('reports every pull secret as missing without such a module', async () => {
    const { users, events } = setUp();
    expect(await users('s')).toEqual([]);
    expect(events.list()).toMatchObject([{ reason: 'FailedToRetrieveImagePullSecret' }]);
  });

  it('runs credential providers, and none after its disposal', async () => {
    const { users, parts } = setUp((clock) => ({
      credentialProviders: {
        providers: [provider],
        processes: createTestProviders(clock, (_, name) => testAnswer(name)),
      },
    }));
    expect(await users()).toEqual(['node ecr']);
    await parts[Symbol.asyncDispose]!();
    await expect(users()).rejects.toMatchObject({ name: 'LifetimeEnded' });
  });

  it('is not set up for providers that need tokens which no module provides', () => {
    const tokenAttributes = {
      serviceAccountTokenAudience: 'ecr',
      cacheType: 'Token',
      requireServiceAccount: true,
      requiredServiceAccountAnnotationKeys: [],
      optionalServiceAccountAnnotationKeys: [],
    } as const;
    const options = (clock: ReturnType<typeof createVirtualClock>): ImageCredentialsOptions => ({
      credentialProviders: {
        providers: [{ ...provider, tokenAttributes }],
        processes: createTestProviders(clock, () => testAnswer('ecr')),
      },
    });
    expect(() => setUp(options)).toThrow(expect.objectContaining({ reason: 'TokensUnavailable' }) as Error);
    const tokens = {
      serviceAccount: async () => ({ uid: '1', annotations: {} }),
      token: async () => 'token',
    };
    expect(() => setUp(options, [provide(serviceAccountTokens, tokens)])).not.toThrow();
  });
});
