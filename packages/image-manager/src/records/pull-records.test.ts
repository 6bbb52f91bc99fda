import { recordingLogger, createVirtualClock } from '@rxlet/component-base/testing';
import type { Labels, Metrics } from '@rxlet/component-base/metrics';
import { describe, expect, it } from 'vitest';
import type { CredentialOrigin } from '@rxlet/agent-api/images';
import { createMemoryRecords, type MemoryRecords, RECORDS_DIRECTORY } from '../test-support/memory-records.ts';
import { createPullRecords, type PullRecordsOptions } from './pull-records.ts';
import { formatPullIntent, recordFileName } from './record-format.ts';

const image = 'quay.io/app:1';
const ref = 'sha256:abc';
const secret = (name: string, credentialHash = `hash-${name}`): CredentialOrigin => ({
  kind: 'secret',
  uid: `uid-${name}`,
  namespace: 'default',
  name,
  credentialHash,
});
const diskFull = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });

function setUp(options: Partial<PullRecordsOptions> = {}, earlier?: MemoryRecords) {
  const clock = createVirtualClock();
  const directories = createMemoryRecords(earlier);
  const logger = recordingLogger();
  const gauges = new Map<string, number>();
  const results: (Labels | undefined)[] = [];
  const metrics: Metrics = {
    counter: () => ({ inc: (labels) => results.push(labels) }),
    gauge: ({ name }) => ({ set: (value) => gauges.set(name, value) }),
    histogram: () => ({ observe: () => undefined }),
  };
  const records = createPullRecords(
    { files: directories.nodeFiles, clock, logger, metrics },
    { ...options, directory: RECORDS_DIRECTORY },
  );
  const mustPull = (...origins: CredentialOrigin[]) => records.mustPull(image, ref, async () => origins);
  const pull = async (origin?: CredentialOrigin) => {
    await records.intend(image);
    await records.pulled(image, ref, origin);
  };
  return { clock, directories, logger, gauges, results, records, mustPull, pull };
}

describe('pull records', () => {
  it('restrict an image that was pulled with a secret to the pods that have it', async () => {
    const { results, records, mustPull, pull, directories } = setUp();
    expect(await mustPull()).toBe(false);
    await pull(secret('a'));
    expect(directories.pulling.files.size).toBe(0);
    expect(await mustPull()).toBe(true);
    expect(await mustPull(secret('b'))).toBe(true);
    expect(await mustPull(secret('a'))).toBe(false);
    expect(await records.mustPull('other.example/app:1', ref, async () => [secret('a')])).toBe(true);
    expect(results.map((labels) => labels?.['result'])).toEqual([
      'credentialPolicyAllowed',
      'mustAuthenticate',
      'mustAuthenticate',
      'credentialRecordFound',
      'mustAuthenticate',
    ]);
  });

  it('outlive the process, with added secrets', async () => {
    const first = setUp();
    await first.pull(secret('a'));
    expect(await first.mustPull(secret('twin', 'hash-a'))).toBe(false);
    const second = setUp({}, first.directories);
    expect(await second.mustPull(secret('twin', 'changed'))).toBe(false);
    expect(await second.mustPull()).toBe(true);
  });

  it('open an image to all pods that was pulled without a credential', async () => {
    const { pull, mustPull } = setUp({ imagePullCredentialsVerificationPolicy: 'AlwaysVerify' });
    expect(await mustPull()).toBe(true);
    await pull();
    expect(await mustPull()).toBe(false);
  });

  it('do not request credentials that do not matter', async () => {
    const { records, pull } = setUp();
    await pull();
    const unexpectedCheck = () => Promise.reject(new Error('asked'));
    expect(await records.mustPull(image, ref, unexpectedCheck)).toBe(false);
    expect(await records.mustPull('quay.io/unknown:1', 'sha256:def', unexpectedCheck)).toBe(false);
  });

  it('require a pull by a pod with unknown credentials', async () => {
    const { records, pull, results } = setUp();
    await pull(secret('a'));
    expect(await records.mustPull(image, ref, () => Promise.reject(new Error('the secret does not parse')))).toBe(true);
    expect(results).toEqual([{ result: 'error' }]);
  });

  it('keep an intent on disk while any of several pulls runs', async () => {
    const { records, directories, mustPull } = setUp();
    await records.intend(image);
    await records.intend(image);
    expect([...directories.pulling.files]).toEqual([[recordFileName(image), formatPullIntent(image)]]);
    // It may have been pulled by now, and is not on record yet.
    expect(await mustPull()).toBe(true);
    await records.ended(image, 'failed');
    expect(directories.pulling.files.size).toBe(1);
    await records.ended(image, 'failed');
    expect(directories.pulling.files.size).toBe(0);
    expect(await mustPull()).toBe(false);
  });

  it('keep an intent whose outcome is unknown until the next pull of it', async () => {
    const { records, directories, mustPull, pull } = setUp();
    await records.intend(image);
    await records.ended(image, 'unknown');
    expect(directories.pulling.files.size).toBe(1);
    expect(await mustPull()).toBe(true);
    await pull();
    expect(directories.pulling.files.size).toBe(0);
    expect(await mustPull()).toBe(false);
  });

  it('keep an intent whose outcome is unknown when a later pull fails', async () => {
    const { records, directories, mustPull } = setUp();
    await records.intend(image);
    await records.ended(image, 'unknown');
    // The image has appeared. A pod without the credential tries to pull it.
    expect(await mustPull()).toBe(true);
    await records.intend(image);
    await records.ended(image, 'failed');
    expect(await mustPull()).toBe(true);
    const afterRestart = setUp({}, directories);
    await afterRestart.records.intend(image);
    await afterRestart.records.ended(image, 'failed');
    expect(await afterRestart.mustPull()).toBe(true);
  });

  it('keep the intent of concurrent pulls when the outcome of the first is unknown', async () => {
    const { records, mustPull, directories, pull } = setUp();
    await records.intend(image);
    await records.intend(image);
    await records.ended(image, 'unknown');
    await records.ended(image, 'failed');
    expect(await mustPull()).toBe(true);
    await pull(secret('a'));
    expect(directories.pulling.files.size).toBe(0);
  });

  it('permit no pull without an intent on disk', async () => {
    const { records, directories } = setUp();
    directories.pulling.fail('write', diskFull);
    await expect(records.intend(image)).rejects.toThrow('ENOSPC');
    directories.pulling.fail('write', undefined);
    await records.intend(image);
    await records.ended(image, 'failed');
    expect(directories.pulling.files.size).toBe(0);
  });

  it('keep the intent when the pulled record cannot be written', async () => {
    const { records, directories, pull, mustPull, logger } = setUp();
    directories.pulled.fail('write', diskFull);
    await pull(secret('a'));
    expect(logger.lines.map(({ message }) => message)).toEqual([
      `cannot record the credentials that pulled ${image}: ENOSPC: no space left on device, write`,
    ]);
    expect(await mustPull(secret('a'))).toBe(true);
    directories.pulled.fail('write', undefined);
    await records.reconcile(() => Promise.resolve(ref));
    expect([directories.pulling.files.size, directories.pulled.files.size]).toEqual([0, 1]);
    expect(await mustPull(secret('a'))).toBe(true);
  });

  it('treat an invalid file as a pulled image, log it once, and replace it', async () => {
    const { directories, mustPull, pull, logger } = setUp();
    directories.pulled.put(recordFileName(ref), '{"half":');
    expect([await mustPull(), await mustPull()]).toEqual([true, true]);
    expect(logger.lines.map(({ message }) => message)).toEqual([
      `the pull record ${RECORDS_DIRECTORY}/pulled/${recordFileName(ref)} cannot be used: it is not JSON; images it is about will be pulled again, which replaces it`,
    ]);
    await pull(secret('a'));
    expect(await mustPull(secret('a'))).toBe(false);
  });

  it('reject a file under the name of another', async () => {
    const first = setUp();
    await first.pull();
    const second = setUp();
    second.directories.pulled.put(recordFileName('sha256:def'), [...first.directories.pulled.files.values()][0]!);
    expect(await second.records.mustPull(image, 'sha256:def', async () => [])).toBe(true);
  });

  it('require a pull while the disk cannot be read, unless it does not matter', async () => {
    const strict = setUp();
    strict.directories.pulled.fail('read', new Error('EIO: i/o error, read'));
    expect(await strict.mustPull()).toBe(true);
    strict.directories.pulled.fail('read', undefined);
    expect(await strict.mustPull()).toBe(false);
    const lax = setUp({ imagePullCredentialsVerificationPolicy: 'NeverVerify' });
    lax.directories.pulled.fail('read', new Error('EIO: i/o error, read'));
    expect(await lax.mustPull()).toBe(false);
  });

  it('complete intents of an earlier run, and rewrite records of an older kubelet', async () => {
    const first = setUp();
    await first.records.intend(image);
    await first.records.intend('quay.io/gone:1');
    const alpha = JSON.stringify({
      kind: 'ImagePulledRecord',
      apiVersion: 'kubelet.config.k8s.io/v1alpha1',
      lastUpdatedTime: '2026-01-01T00:00:00Z',
      imageRef: 'sha256:old',
    });
    first.directories.pulled.put(recordFileName('sha256:old'), alpha);
    const { records, directories, gauges, mustPull } = setUp({}, first.directories);
    await records.reconcile((wanted) => Promise.resolve(wanted === image ? ref : ''));
    expect([...directories.pulling.files.values()]).toEqual([formatPullIntent('quay.io/gone:1')]);
    expect(directories.pulled.files.get(recordFileName('sha256:old'))).toContain('kubelet.config.k8s.io/v1beta1');
    expect(await mustPull()).toBe(true);
    expect(gauges.get('kubelet_imagemanager_ondisk_pullintents')).toBe(1);
    expect(gauges.get('kubelet_imagemanager_ondisk_pulledrecords')).toBe(2);
  });

  it('stay as they are when the runtime cannot be listed', async () => {
    const first = setUp();
    await first.records.intend(image);
    const { records, directories, logger } = setUp({}, first.directories);
    await records.reconcile(() => Promise.reject(new Error('the runtime is down')));
    expect(directories.pulling.files.size).toBe(1);
    expect(logger.lines).toHaveLength(1);
  });

  it('disappear with their image, apart from later ones, independent of the wall clock', async () => {
    const { clock, records, directories, pull } = setUp();
    const before = records.mark();
    clock.setWallClock(clock.now() - 3_600_000);
    await pull();
    const after = records.mark();
    await records.prune(new Set([ref]), after);
    expect(directories.pulled.files.size).toBe(1);
    await pull();
    await records.prune(new Set(['sha256:other']), before);
    expect(directories.pulled.files.size).toBe(1);
    await records.prune(new Set(['sha256:other']), records.mark());
    expect(directories.pulled.files.size).toBe(0);
  });

  it('need no disk access to report that there is none', async () => {
    const { records, directories, mustPull, pull } = setUp();
    await records.reconcile(() => Promise.resolve(''));
    for (const { fail } of [directories.pulling, directories.pulled]) fail('read', new Error('read'));
    expect(await mustPull()).toBe(false);
    await pull(secret('a'));
    expect([await mustPull(), await mustPull(secret('a'))]).toEqual([true, false]);
  });

  it('come from the disk after a failed write that may have happened', async () => {
    const { records, directories, mustPull } = setUp();
    await records.reconcile(() => Promise.resolve(''));
    directories.pulling.fail('write', () => {
      directories.pulling.put(recordFileName(image), formatPullIntent(image));
      throw new Error('EIO: i/o error, fsync');
    });
    await expect(records.intend(image)).rejects.toThrow('EIO');
    expect(await mustPull()).toBe(true);
  });

  it('drop an intent without an outcome after a while', async () => {
    const { records, directories } = setUp();
    const images = ['quay.io/cancelled:1', 'nginx:latest', 'quay.io/pulling:1'];
    for (const one of images) await records.intend(one);
    for (const one of images.slice(0, 2)) await records.ended(one, 'unknown');
    const present = new Set(['docker.io/library/nginx:latest']);
    await records.prune(present, records.mark());
    expect(directories.pulling.files.size).toBe(3);
    await records.prune(present, records.mark());
    expect([...directories.pulling.files.values()]).toEqual(images.slice(1).map(formatPullIntent));
  });

  it('come from the disk when memory is full', async () => {
    const { records, gauges } = setUp({ maxPods: 1 });
    const refs = Array.from({ length: 12 }, (_, index) => `sha256:${String(index)}`);
    for (const imageRef of refs) {
      await records.intend(image);
      await records.pulled(image, imageRef, secret('a'));
    }
    for (const imageRef of refs) expect(await records.mustPull(image, imageRef, async () => [])).toBe(true);
    expect(gauges.get('kubelet_imagemanager_inmemory_pulledrecords_usage_percent')).toBe(100);
    expect(gauges.get('kubelet_imagemanager_ondisk_pulledrecords')).toBe(12);
  });
});
