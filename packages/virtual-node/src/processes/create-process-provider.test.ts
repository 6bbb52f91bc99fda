import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { sleep, systemClock } from '@rxlet/component-base';
import { spawnWithoutDescriptors } from '@rxlet/component-base/testing';
import { defaultPod } from '@rxlet/pod-model/defaults';
import { describe, expect, it, onTestFinished } from 'vitest';
import { observePods } from '../testing/observed-pods.ts';
import { podProviderContract, type ProviderSubject } from '../testing/pod-provider-contract.ts';
import { createProcessProvider, type ProcessProvider } from './create-process-provider.ts';

const pass = (ms: number): Promise<void> => sleep(systemClock, ms);
const call = { signal: new AbortController().signal };

async function createSubject(): Promise<ProviderSubject & { readonly provider: ProcessProvider }> {
  const directory = await mkdtemp(join(tmpdir(), 'process-provider-'));
  let provider = createProcessProvider({ clock: systemClock }, { directory });
  onTestFinished(async () => {
    await provider[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });
  return {
    provider,
    clock: systemClock,
    pass,
    container({ exitCode, text = '' }) {
      const script = exitCode === undefined ? 'sleep 600' : `printf "$TEXT"; exit ${String(exitCode)}`;
      return { command: ['sh', '-c', script], env: [{ name: 'TEXT', value: text }] };
    },
    async restart() {
      await provider[Symbol.asyncDispose]();
      return (provider = createProcessProvider({ clock: systemClock }, { directory }));
    },
  };
}

const podOf = (name: string, script: string, restartPolicy: 'Always' | 'Never' = 'Never') =>
  defaultPod({
    metadata: { name, namespace: 'default', uid: `uid-${name}` },
    spec: { restartPolicy, containers: [{ name: 'main', command: ['sh', '-c', script] }] },
  });
const reference = (name: string) => ({ uid: `uid-${name}`, name, namespace: 'default' });

describe('the provider of processes', { timeout: 30_000 }, () => {
  it.each(podProviderContract({ logs: true }).map((one) => [one.name, one] as const))('%s', async (_name, { check }) =>
    check(await createSubject()),
  );

  it('restarts a process by the policy of its pod, the first time at once', async () => {
    const subject = await createSubject();
    const { provider } = subject;
    await using observed = await observePods(provider, subject);
    await provider.create(podOf('crash', 'exit 3', 'Always'), call);
    await observed.until('the back-off', () => {
      const [main] = observed.get('uid-crash')?.containers ?? [];
      return main?.state === 'waiting' && main.reason === 'CrashLoopBackOff' && main.restartCount === 2;
    });
    await provider.delete(reference('crash'), { ...call, gracePeriodSeconds: 1 });
    await observed.until('the removal', () => observed.get('uid-crash') === undefined);
  });

  it('kills a process that does not end within the grace period', async () => {
    const subject = await createSubject();
    const { provider } = subject;
    await using observed = await observePods(provider, subject);
    await provider.create(podOf('stubborn', 'trap "" TERM; echo ready; while :; do sleep 1; done'), call);
    await observed.until('the start', () => observed.get('uid-stubborn')?.containers[0]?.state === 'running');
    const readLog = async (): Promise<string> => {
      const options = { ...call, follow: false, previous: false, timestamps: false };
      const container = { pod: reference('stubborn'), container: 'main' };
      let text = '';
      for await (const chunk of provider.logs!(container, options)) text += Buffer.from(chunk).toString();
      return text;
    };
    // Before, the signal would end it.
    await expect.poll(readLog).toBe('ready\n');
    await provider.delete(reference('stubborn'), { ...call, gracePeriodSeconds: 1 });
    await observed.until('the removal', () => observed.get('uid-stubborn') === undefined);
    const exits = observed.changes.flatMap((one) => (one.type === 'changed' ? one.pod.containers : []));
    expect(exits.at(-1)).toMatchObject({ state: 'exited', exitCode: 137 });
  });

  it('runs commands in the directory and environment of a container, and measures it', async () => {
    const subject = await createSubject();
    const { provider } = subject;
    await using observed = await observePods(provider, subject);
    const pod = podOf('tools', 'sleep 600');
    const [main] = pod.spec!.containers;
    await provider.create(
      { ...pod, spec: { ...pod.spec, containers: [{ ...main!, env: [{ name: 'GREETING', value: 'hello' }] }] } },
      call,
    );
    await observed.until('the start', () => observed.get('uid-tools')?.containers[0]?.state === 'running');
    const stdout = new PassThrough();
    const streams = { ...call, tty: false, stdin: undefined, stdout, stderr: undefined, onResize: () => undefined };
    const container = { pod: reference('tools'), container: 'main' };
    expect(await provider.exec!(container, ['sh', '-c', 'printf $GREETING; exit 5'], streams)).toBe(5);
    expect(String(stdout.read())).toBe('hello');
    const [{ containers: [measured] = [] } = {}] = await provider.stats!(call.signal);
    expect(measured?.workingSetBytes).toBeGreaterThan(0);
    await provider.delete(reference('tools'), { ...call, gracePeriodSeconds: 0 });
    await observed.until('the removal', () => observed.get('uid-tools') === undefined);
  });

  it('rejects a command when no descriptor is left for its process', async () => {
    const subject = await createSubject();
    const { provider } = subject;
    await using observed = await observePods(provider, subject);
    await provider.create(podOf('tools', 'sleep 600'), call);
    await observed.until('the start', () => observed.get('uid-tools')?.containers[0]?.state === 'running');
    const streams = { ...call, tty: false, stdin: undefined, stdout: undefined, stderr: undefined };
    const container = { pod: reference('tools'), container: 'main' };
    {
      using _failing = spawnWithoutDescriptors();
      const exitCode = provider.exec!(container, ['date'], { ...streams, onResize: () => undefined });
      await expect(exitCode).rejects.toThrow('spawn date EMFILE');
    }
    await provider.delete(reference('tools'), { ...call, gracePeriodSeconds: 0 });
    await observed.until('the removal', () => observed.get('uid-tools') === undefined);
  });

  it('rejects a pod that uses what processes cannot have', async () => {
    const { provider } = await createSubject();
    const pod = podOf('volumes', 'true');
    const rejected = { ...pod, spec: { ...pod.spec!, volumes: [{ name: 'data', emptyDir: {} }] } };
    expect(provider.admit!(rejected)?.message).toBe('processes cannot have spec.volumes');
    await expect(provider.create(rejected, call)).rejects.toMatchObject({ reason: 'Rejected' });
    expect(provider.admit!(pod)).toBeUndefined();
  });
});
