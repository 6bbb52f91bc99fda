import { seededRandom } from '@rxlet/component-base';
import { createEventLog } from '@rxlet/component-base/events';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { ServiceError, StatusCode } from '@rxlet/cri-api';
import { createFakeRuntime, type FakeImage, discardLogs } from '@rxlet/fake-cri';
import { testPod } from '@rxlet/pod-model/testing';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { CredentialOrigin, ImagePull, PullCredential } from '@rxlet/agent-api/images';
import { createImageManager, type ImageManagerOptions } from './image-manager.ts';
import { createPullRecords, type PullRecordsOptions } from './records/pull-records.ts';
import { createMemoryRecords, type MemoryRecords, RECORDS_DIRECTORY } from './test-support/memory-records.ts';

const PASSWORD = 'correct-horse';
const image = 'registry.example/app:1';
const privateImage: FakeImage = {
  tags: [image],
  pullLatencyMs: 1000,
  credentials: [{ username: 'me', password: PASSWORD }],
};

const credential = (password: string, origin: CredentialOrigin = { kind: 'node' }): PullCredential => ({
  auth: { username: 'me', password, auth: '', serverAddress: '', identityToken: '', registryToken: '' },
  origin,
});
const secret = (name: string): CredentialOrigin => ({
  kind: 'secret',
  uid: `uid-${name}`,
  namespace: 'default',
  name,
  credentialHash: `hash-${name}`,
});

/** Credentials that are never returned. */
const hung: readonly PullCredential[] = [];

interface Setting extends ImageManagerOptions, Partial<PullRecordsOptions> {
  readonly images?: readonly FakeImage[];
  readonly earlier?: MemoryRecords;
}

function setUp({ images = [privateImage], earlier, ...options }: Setting = {}) {
  const clock = createVirtualClock();
  const fake = createFakeRuntime(
    { clock, random: seededRandom(1), logs: discardLogs },
    { images, missingImages: ['registry.example/missing:1'] },
  );
  const eventLog = createEventLog(clock);
  const events: string[] = [];
  eventLog.events$.subscribe(({ reason, message }) => events.push(`${reason}: ${message}`));
  const directories = createMemoryRecords(earlier);
  const logger = recordingLogger();
  const records = createPullRecords(
    { files: directories.nodeFiles, clock, logger },
    { ...options, directory: RECORDS_DIRECTORY },
  );
  /** Credentials by pod name. */
  const ofPods = new Map<string, readonly PullCredential[] | Error>();
  const credentials = {
    async credentialsFor({ pod }: { pod: { metadata?: { name?: string } } }) {
      const found = ofPods.get(pod.metadata?.name ?? '') ?? [];
      if (found instanceof Error) throw found;
      return found === hung ? new Promise<never>(() => undefined) : found;
    },
  };
  const manager = createImageManager(
    { images: fake.images, clock, events: eventLog, credentials, records, logger },
    options,
  );
  const begin = (podName: string, request: { image?: string; pullPolicy?: string; signal?: AbortSignal } = {}) => {
    const result = manager.ensureImageExists({
      pod: testPod({ name: podName }),
      fieldPath: 'spec.containers{app}',
      image,
      pullPolicy: 'IfNotPresent',
      ...request,
    });
    result.catch(() => undefined);
    return result;
  };
  /** The outcome of a request: `ok`, or the reason and message of its error. */
  const ensure = async (...request: Parameters<typeof begin>): Promise<string> => {
    const outcome = begin(...request).then(
      () => 'ok',
      (error: Error & { reason?: string }) => `${error.reason ?? error.name}: ${error.message}`,
    );
    await clock.advance(5000);
    return outcome;
  };
  const pulls = (): number => fake.calls.get('pullImage') ?? 0;
  return { clock, fake, events, directories, logger, ofPods, manager, begin, ensure, pulls };
}

describe('a pull with credentials', () => {
  it('tries them in order, up to the first that succeeds', async () => {
    const { ofPods, ensure, pulls } = setUp();
    ofPods.set('web', [credential('wrong'), credential(PASSWORD), credential('unused')]);
    expect(await ensure('web')).toBe('ok');
    expect(pulls()).toBe(2);
  });

  it('is anonymous without any', async () => {
    const { ensure, pulls } = setUp({ images: [{ tags: [image] }] });
    expect(await ensure('web')).toBe('ok');
    expect(pulls()).toBe(1);
  });

  it('reports a common failure of all of them once, without secrets', async () => {
    const echo = { kind: 'other', message: 'who is me:hunter22?' } as const;
    const { ofPods, ensure, events, logger, begin, clock } = setUp({
      images: [{ tags: [image], errors: [echo, echo] }],
    });
    ofPods.set('web', [credential('hunter22'), credential('other-one')]);
    const failure = 'failed to pull and unpack image "registry.example/app:1": who is me:[redacted]?';
    expect(await ensure('web')).toBe(`ErrImagePull: ${failure}`);
    expect(events.at(-1)).toBe(`Failed: Failed to pull image "${image}": ${failure}`);
    const blocked: unknown = await begin('web').catch((error: unknown) => error);
    await clock.settle();
    expect(inspect([events, logger.lines, blocked], { depth: 9, showHidden: true })).not.toContain('hunter22');
  });

  it('lists the failure of each', async () => {
    const { ofPods, ensure } = setUp({
      images: [
        {
          ...privateImage,
          errors: [
            { kind: 'other', message: 'first' },
            { kind: 'other', message: 'second' },
          ],
        },
      ],
    });
    ofPods.set('web', [credential('one1'), credential('two2')]);
    expect(await ensure('web')).toMatch(/^ErrImagePull: \[.*first, .*second\]$/);
  });

  it('reports an unavailable registry behind several credentials', async () => {
    const { ofPods, ensure } = setUp({
      images: [{ tags: [image], errors: [{ kind: 'registry-unavailable', times: 2 }] }],
    });
    ofPods.set('web', [credential('one1'), credential('two2')]);
    expect(await ensure('web')).toMatch(
      /^RegistryUnavailable: image pull failed for registry.example\/app:1 because the registry is unavailable: /,
    );
  });

  it('fails as long as a pull secret does not parse, without a back-off', async () => {
    const { ofPods, ensure, pulls } = setUp();
    ofPods.set('web', new Error('secret default/regcred: .dockerconfigjson is not JSON'));
    const failure = 'ErrImagePull: secret default/regcred: .dockerconfigjson is not JSON';
    expect([await ensure('web'), await ensure('web')]).toEqual([failure, failure]);
    ofPods.set('web', [credential(PASSWORD, secret('a'))]);
    expect(await ensure('web')).toBe('ok');
    expect(pulls()).toBe(1);
  });

  it('is shared with equal credentials, and separate from others', async () => {
    const { ofPods, begin, clock, pulls, directories } = setUp({ serializeImagePulls: false });
    ofPods.set('one', [credential(PASSWORD, secret('a'))]);
    ofPods.set('two', [credential(PASSWORD, secret('b'))]);
    ofPods.set('three', [credential('wrong'), credential(PASSWORD)]);
    const results = [begin('one'), begin('two'), begin('three')];
    await clock.advance(2000);
    expect(new Set((await Promise.all(results)).map(({ imageRef }) => imageRef)).size).toBe(1);
    expect(pulls()).toBe(3);
    // Also pulled with a credential of the node: every pod may use it.
    expect([...directories.pulled.files.values()]).toEqual([expect.stringContaining('"nodePodsAccessible":true')]);
  });
});

describe('the back-off of a pull', () => {
  it('ends at once when a pull secret changes', async () => {
    const { ofPods, ensure, pulls } = setUp();
    ofPods.set('web', [credential('wrong', secret('a'))]);
    expect(await ensure('web')).toMatch(/^ErrImagePull: .*401 Unauthorized/);
    expect(await ensure('web')).toMatch(
      /^ImagePullBackOff: Back-off pulling image .*: ErrImagePull: .*401 Unauthorized/,
    );
    ofPods.set('web', [credential(PASSWORD, secret('a'))]);
    expect(await ensure('web')).toBe('ok');
    expect(pulls()).toBe(2);
  });

  it('starts again when other credentials fail as well', async () => {
    const { ofPods, begin, clock } = setUp();
    const delays: number[] = [];
    for (const password of ['one1', 'one1', 'one1', 'two2']) {
      ofPods.set('web', [credential(password, secret('a'))]);
      const failed = begin('web').catch((error: unknown) => error as { backoffUntilMs: number });
      await clock.advance(1000);
      const { backoffUntilMs } = (await failed) as { backoffUntilMs: number };
      delays.push(backoffUntilMs - clock.now());
      if (delays.length < 3) await clock.advance(delays.at(-1)!);
    }
    expect(delays).toEqual([10_000, 20_000, 40_000, 10_000]);
  });

  it('lasts at least its first delay with a provider that returns new tokens each time', async () => {
    const { ofPods, begin, clock, pulls } = setUp({ images: [{ ...privateImage, pullLatencyMs: 0 }] });
    for (let second = 0; second < 100; second += 1) {
      ofPods.set('web', [credential(`token-${String(second)}`)]);
      await begin('web').catch(() => undefined);
      await clock.advance(1000);
    }
    expect(pulls()).toBe(10);
  });
});

describe('an image that was pulled with a secret', () => {
  it('is pulled again for a pod that does not have it', async () => {
    const { ofPods, ensure, events } = setUp();
    ofPods.set('owner', [credential(PASSWORD, secret('a'))]);
    expect(await ensure('owner')).toBe('ok');
    expect(await ensure('owner')).toBe('ok');
    expect(events.at(-1)).toBe(
      `Pulled: Container image "${image}" already present on machine and can be accessed by the pod`,
    );
    expect(await ensure('stranger')).toMatch(/^ErrImagePull: .*pull access denied/);
    expect(await ensure('never', { pullPolicy: 'Never' })).toBe(
      `ErrImageNeverPull: Container image "${image}" is not present with pull policy of Never`,
    );
    ofPods.set('other', [credential(PASSWORD, secret('b'))]);
    expect(await ensure('other')).toBe('ok');
    expect(events.at(-1)).toContain('Successfully pulled image');
  });

  it('stays so across a restart, and a policy may permit it', async () => {
    const { ofPods, ensure, directories } = setUp();
    ofPods.set('owner', [credential(PASSWORD, secret('a'))]);
    await ensure('owner');
    const present = { ...privateImage, present: true };
    const strict = setUp({ images: [present], earlier: directories });
    expect(await strict.ensure('stranger', { pullPolicy: 'Never' })).toMatch(/^ErrImageNeverPull/);
    const lax = setUp({
      images: [present],
      earlier: directories,
      imagePullCredentialsVerificationPolicy: 'NeverVerify',
    });
    expect(await lax.ensure('stranger', { pullPolicy: 'Never' })).toBe('ok');
  });

  it('does not count as preloaded when the agent is killed between its pull and the record', async () => {
    const { ofPods, begin, clock, directories } = setUp();
    ofPods.set('owner', [credential(PASSWORD, secret('a'))]);
    void begin('owner');
    await clock.advance(500);
    expect(directories.pulling.files.size).toBe(1);
    const after = setUp({ images: [{ ...privateImage, present: true }], earlier: directories });
    expect(await after.ensure('stranger')).toMatch(/^ErrImagePull/);
    expect(after.directories.pulling.files.size).toBe(0);
    expect(await after.ensure('stranger', { pullPolicy: 'Never' })).toMatch(/^ErrImageNeverPull/);
  });

  it('keeps its intent when the last caller leaves', async () => {
    const { ofPods, begin, clock, directories, ensure } = setUp();
    ofPods.set('owner', [credential(PASSWORD, secret('a'))]);
    const controller = new AbortController();
    const result = begin('owner', { signal: controller.signal });
    await clock.advance(500);
    controller.abort(new Error('the pod is gone'));
    await expect(result).rejects.toThrow('the pod is gone');
    await clock.settle();
    expect(directories.pulling.files.size).toBe(1);
    expect(await ensure('owner')).toBe('ok');
    expect(directories.pulling.files.size).toBe(0);
  });

  it('is not pulled when that cannot be recorded', async () => {
    const { directories, ensure, pulls } = setUp();
    directories.pulling.fail('write', new Error('ENOSPC: no space left on device, write'));
    expect(await ensure('web')).toBe(
      `ErrImagePull: Failed to record image pull intent for container image "${image}": ENOSPC: no space left on device, write`,
    );
    expect(pulls()).toBe(0);
  });

  it('leaves no intent when the pull fails', async () => {
    const { ensure, directories } = setUp();
    expect(await ensure('web', { image: 'registry.example/missing:1' })).toMatch(/^ErrImagePull/);
    expect([directories.pulling.files.size, directories.pulled.files.size]).toEqual([0, 0]);
  });
});

describe('a runtime that does not answer', () => {
  it('fails the look-up of an image after a timeout, with the kubelet’s message', async () => {
    const { fake, begin, clock } = setUp({ imageStatusTimeoutMs: 60_000 });
    fake.setFailpoint('imageStatus', 'delay(600000)');
    const result = begin('web');
    await clock.advance(60_000);
    await expect(result).rejects.toMatchObject({
      reason: 'ImageInspectError',
      message: `Failed to inspect image "${image}": rpc error: code = DeadlineExceeded desc = context deadline exceeded`,
    });
  });

  it('does not delay the cancellation of a request, or the disposal of the manager', async () => {
    const { fake, begin, clock, manager } = setUp();
    fake.setFailpoint('imageStatus', 'delay(600000)');
    const controller = new AbortController();
    const cancelled = begin('web', { signal: controller.signal });
    const other = begin('other');
    await clock.advance(1000);
    controller.abort(new Error('the pod is gone'));
    await expect(cancelled).rejects.toThrow('the pod is gone');
    await manager[Symbol.asyncDispose]();
    await expect(other).rejects.toMatchObject({ name: 'LifetimeEnded' });
  });

  it('is handled like a credential source or a disk that does not answer', async () => {
    const { begin, clock, ofPods, directories, ensure } = setUp({ images: [{ tags: [image] }] });
    const controller = new AbortController();
    ofPods.set('web', hung);
    const withoutCredentials = begin('web', { signal: controller.signal });
    const disk = Promise.withResolvers<void>();
    directories.pulling.fail('write', () => disk.promise);
    const withoutDisk = begin('other', { signal: controller.signal });
    await clock.settle();
    controller.abort(new Error('the pod is gone'));
    await expect(withoutCredentials).rejects.toThrow('the pod is gone');
    await expect(withoutDisk).rejects.toThrow('the pod is gone');
    disk.resolve();
    await clock.settle();
    expect(directories.pulling.files.size).toBe(0);
    expect(await ensure('other')).toBe('ok');
  });

  it('keeps the intent of a pull of unknown outcome', async () => {
    const { fake, ensure, directories, ofPods, pulls } = setUp({ images: [{ tags: [image] }] });
    ofPods.set('web', [credential('one1'), credential('two2')]);
    fake.failNext('pullImage', new ServiceError(StatusCode.Unavailable, 'connection lost'));
    expect(await ensure('web')).toBe('ErrImagePull: rpc error: code = Unavailable desc = connection lost');
    expect(pulls()).toBe(1);
    expect(directories.pulling.files.size).toBe(1);
  });
});

describe('pulls', () => {
  it('report their position in the queue', async () => {
    const { manager, begin, clock } = setUp({
      images: ['a', 'b', 'c'].map((tag) => ({ tags: [tag], pullLatencyMs: 1000 })),
    });
    let latest: readonly ImagePull[] = [];
    manager.pulls.value$.subscribe((pulls) => (latest = pulls));
    for (const name of ['a', 'b', 'c']) void begin('web', { image: name });
    await clock.advance(500);
    expect(latest.map((pull) => [pull.image, pull.phase, pull.position])).toEqual([
      ['a:latest', 'pulling', 0],
      ['b:latest', 'queued', 1],
      ['c:latest', 'queued', 2],
    ]);
    await clock.advance(1000);
    expect(latest.map((pull) => [pull.image, pull.phase, pull.position])).toEqual([
      ['b:latest', 'pulling', 0],
      ['c:latest', 'queued', 1],
    ]);
  });
});
