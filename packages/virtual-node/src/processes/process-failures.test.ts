import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Clock, sleep, systemClock } from '@rxlet/component-base';
import { recordingLogger, useAllDescriptors } from '@rxlet/component-base/testing';
import { defaultPod } from '@rxlet/pod-model/defaults';
import { describe, expect, it, onTestFinished } from 'vitest';
import { observePods } from '../testing/observed-pods.ts';
import { createProcessProvider } from './create-process-provider.ts';
import { readExit } from './supervised-process.ts';

const pass = (ms: number): Promise<void> => sleep(systemClock, ms);
const call = { signal: new AbortController().signal };
const reference = (name: string) => ({ uid: `uid-${name}`, name, namespace: 'default' });
const podOf = (name: string, script: string, restartPolicy: 'Always' | 'Never' = 'Never') =>
  defaultPod({
    metadata: { name, namespace: 'default', uid: `uid-${name}` },
    spec: { restartPolicy, containers: [{ name: 'main', command: ['sh', '-c', script] }] },
  });

/** A provider in a directory of its own, and its next one. */
async function createSubject(clock: Clock = systemClock) {
  const directory = await mkdtemp(join(tmpdir(), 'process-failures-'));
  const logger = recordingLogger();
  let provider = createProcessProvider({ clock, logger }, { directory });
  onTestFinished(async () => {
    for (const { uid } of await listPods())
      await provider
        .delete({ uid, name: '', namespace: '' }, { ...call, gracePeriodSeconds: 0 })
        .catch(() => undefined);
    await provider[Symbol.asyncDispose]();
    for (const pid of processesIn(directory)) kill(pid);
    // The last process may still record its end.
    await rm(directory, { recursive: true, force: true, maxRetries: 10 });
  });
  const listPods = async () => {
    const stop = new AbortController();
    for await (const change of provider.watch(stop.signal)) return change.type === 'snapshot' ? change.pods : [];
    return [];
  };
  return {
    directory,
    logger,
    get provider() {
      return provider;
    },
    observe: () => observePods(provider, { clock: systemClock, pass }),
    async restart() {
      await provider[Symbol.asyncDispose]();
      return (provider = createProcessProvider({ clock, logger }, { directory }));
    },
  };
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** Returns the processes of pods that {@link podIn} made for a directory. */
function processesIn(directory: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      return readFileSync(`/proc/${String(pid)}/environ`, 'latin1').includes(`IN=${directory}\0`);
    } catch {
      return false;
    }
  });
}

/** Returns a pod whose processes {@link processesIn} finds. */
function podIn(directory: string, script: string, restartPolicy: 'Always' | 'Never' = 'Never') {
  const pod = podOf('web', script, restartPolicy);
  const [main] = pod.spec!.containers;
  return { ...pod, spec: { ...pod.spec, containers: [{ ...main!, env: [{ name: 'IN', value: directory }] }] } };
}

describe('the provider of processes', { timeout: 30_000 }, () => {
  it('does not take an end that a full disk left empty for a success', async () => {
    const { directory } = await createSubject();
    await writeFile(join(directory, 'main.0.exit'), '');
    expect(await readExit(join(directory, 'main.0'), { clock: systemClock, ...call })).toBeUndefined();
    await writeFile(join(directory, 'main.0.exit'), '3 1700000000000\n');
    expect(await readExit(join(directory, 'main.0'), { clock: systemClock, ...call })).toEqual({
      exitCode: 3,
      finishedAtMs: 1_700_000_000_000,
    });
  });

  it('ends the processes in the background of a command that has ended', async () => {
    const { directory, provider, observe } = await createSubject();
    await using observed = await observe();
    await provider.create(podIn(directory, 'sleep 600 & exit 0'), call);
    await observed.until('the end', () => observed.get('uid-web')?.containers[0]?.state === 'exited');
    await expect.poll(() => processesIn(directory)).toEqual([]);
  });

  it('leaves no process whose start cannot be recorded, as on a full disk', async () => {
    const { directory, provider, observe } = await createSubject();
    await using observed = await observe();
    await mkdir(join(directory, 'uid-web/main.json.new'), { recursive: true });
    await provider.create(podIn(directory, 'exec sleep 600'), call);
    await observed.until('the failure', () => observed.get('uid-web')?.containers[0]?.state === 'exited');
    await expect.poll(() => processesIn(directory)).toEqual([]);
  });

  it('ends a pod that is deleted while its processes start', async () => {
    const { directory, provider, observe } = await createSubject();
    await using observed = await observe();
    await provider.create(podIn(directory, 'exec sleep 600'), call);
    await provider.delete(reference('web'), { ...call, gracePeriodSeconds: 600 });
    await observed.until('the removal', () => observed.get('uid-web') === undefined);
    expect(processesIn(directory)).toEqual([]);
    await provider.create(podIn(directory, 'trap "" TERM; while :; do sleep 1; done'), call);
    await provider.delete(reference('web'), { ...call, gracePeriodSeconds: 0 });
    await observed.until('the second removal', () => observed.get('uid-web') === undefined);
  });

  it('leaves the processes of a pod that is just ending to the next agent', async () => {
    const { directory, provider, observe, restart } = await createSubject();
    {
      await using observed = await observe();
      await provider.create(podIn(directory, 'trap "" TERM; echo ready; while :; do sleep 1; done'), call);
      await expect.poll(() => readFile(join(directory, 'uid-web/main.0.log'), 'utf8').catch(() => '')).toBe('ready\n');
      await provider.delete(reference('web'), { ...call, gracePeriodSeconds: 600 });
      await observed.until('the start', () => observed.get('uid-web')?.containers[0]?.state === 'running');
    }
    const next = await restart();
    expect(processesIn(directory).length).toBeGreaterThan(0);
    await using observed = await observe();
    await observed.until('the adoption', () => observed.get('uid-web')?.containers[0]?.state === 'running');
    await next.delete(reference('web'), { ...call, gracePeriodSeconds: 0 });
    await observed.until('the removal', () => observed.get('uid-web') === undefined);
    expect(processesIn(directory)).toEqual([]);
  });

  it('adopts a process that the agent started just before it was killed, and had not recorded', async () => {
    const { directory, provider, observe, restart } = await createSubject();
    const record = join(directory, 'uid-web/main.json');
    const script = 'if [ -e "$IN/again" ]; then exec sleep 600; else touch "$IN/again"; fi';
    const isRunning = (observed: Awaited<ReturnType<typeof observe>>, restartCount: number) => {
      const [container] = observed.get('uid-web')?.containers ?? [];
      return container?.state === 'running' && container.restartCount === restartCount;
    };
    {
      await using observed = await observe();
      await provider.create(podIn(directory, script, 'Always'), call);
      await observed.until('the restart', () => isRunning(observed, 1));
      await expect.poll(() => readFile(record, 'utf8')).toContain('"attempt":1');
    }
    const before = processesIn(directory);
    // The record of the instance before.
    await writeFile(record, JSON.stringify({ attempt: 0, groupId: before[0], startTicks: '1', startedAtMs: 0 }));
    const next = await restart();
    {
      await using observed = await observe();
      await observed.until('the adoption', () => isRunning(observed, 1));
    }
    expect(processesIn(directory)).toEqual(before);
    expect(JSON.parse(await readFile(record, 'utf8'))).toMatchObject({ attempt: 1 });
    await next.delete(reference('web'), { ...call, gracePeriodSeconds: 0 });
    await expect.poll(() => processesIn(directory)).toEqual([]);
  });

  it('does not run a process again that has ended before it was recorded', async () => {
    const { directory, provider, observe, restart } = await createSubject();
    {
      await using observed = await observe();
      await provider.create(podIn(directory, 'echo run >> "$IN/runs"; exit 3'), call);
      await observed.until('the end', () => observed.get('uid-web')?.containers[0]?.state === 'exited');
    }
    await rm(join(directory, 'uid-web/main.json'));
    await restart();
    await using observed = await observe();
    await observed.until('the end', () => observed.get('uid-web')?.containers[0]?.state === 'exited');
    expect(observed.get('uid-web')?.containers[0]).toMatchObject({ exitCode: 3, restartCount: 0 });
    expect(await readFile(join(directory, 'runs'), 'utf8')).toBe('run\n');
  });

  it('takes no process for ended while the agent has no file descriptors left', async () => {
    const { directory, provider, observe } = await createSubject();
    await using observed = await observe();
    await provider.create(podIn(directory, 'exec sleep 600', 'Always'), call);
    await observed.until('the start', () => observed.get('uid-web')?.containers[0]?.state === 'running');
    {
      using _descriptors = useAllDescriptors();
      await pass(600);
    }
    await pass(600);
    expect(observed.get('uid-web')?.containers[0]).toMatchObject({ state: 'running', restartCount: 0 });
  });

  it('finds the pods of an earlier run beside files that a loss of power has damaged', async () => {
    const { directory, provider, observe, restart } = await createSubject();
    {
      await using observed = await observe();
      await provider.create(podIn(directory, 'exec sleep 600', 'Always'), call);
      await observed.until('the start', () => observed.get('uid-web')?.containers[0]?.state === 'running');
    }
    for (const uid of ['uid-a', 'uid-z']) {
      await mkdir(join(directory, uid));
      await writeFile(join(directory, uid, 'pod.json'), '');
    }
    const record = JSON.stringify(podOf('lost', 'exec sleep 600'));
    await mkdir(join(directory, 'uid-lost'));
    await writeFile(join(directory, 'uid-lost/pod.json'), record);
    await writeFile(join(directory, 'uid-lost/main.json'), '');
    await restart();
    await using observed = await observe();
    await observed.until('both run', () =>
      ['uid-web', 'uid-lost'].every((uid) => observed.get(uid)?.containers[0]?.state === 'running'),
    );
    expect(observed.get('uid-a')).toBeUndefined();
  });

  it.runIf(process.getuid?.() === 0)('repeats a removal that has failed', async ({ skip }) => {
    const { directory, provider, observe } = await createSubject();
    await using observed = await observe();
    await provider.create(podIn(directory, 'exec sleep 600'), call);
    await observed.until('the start', () => observed.get('uid-web')?.containers[0]?.state === 'running');
    const log = join(directory, 'uid-web/main.0.log');
    try {
      execFileSync('chattr', ['+i', log], { stdio: 'ignore' });
    } catch {
      skip('the file system has no immutable files');
    }
    await provider.delete(reference('web'), { ...call, gracePeriodSeconds: 0 });
    await observed.until('the end', () => observed.get('uid-web')?.containers[0]?.state === 'exited');
    await pass(300);
    execFileSync('chattr', ['-i', log]);
    await provider.delete(reference('web'), { ...call, gracePeriodSeconds: 0 });
    await observed.until('the removal', () => observed.get('uid-web') === undefined);
  });

  it('ends a followed log with its instance, also when the next one runs', async () => {
    const { directory, provider, observe } = await createSubject();
    await using observed = await observe();
    const script = 'if [ -e mark ]; then exec sleep 600; fi; touch mark; echo hello; sleep 1; exit 3';
    await provider.create(podIn(directory, script, 'Always'), call);
    await observed.until('the start', () => observed.get('uid-web')?.containers[0]?.state === 'running');
    const options = { ...call, follow: true, previous: false, timestamps: false };
    let text = '';
    for await (const chunk of provider.logs!({ pod: reference('web'), container: 'main' }, options))
      text += Buffer.from(chunk).toString();
    expect(text).toBe('hello\n');
  });

  it('keeps neither a timer nor the object of a pod that was removed', async () => {
    const timers = new Set<object>();
    const clock: Clock = {
      ...systemClock,
      setTimer(delayMs, callback) {
        const timer = systemClock.setTimer(delayMs, () => (timers.delete(timer), callback()));
        timers.add(timer);
        return { [Symbol.dispose]: () => (timers.delete(timer), timer[Symbol.dispose]()) };
      },
    };
    const { directory, provider } = await createSubject(clock);
    const create = async (): Promise<WeakRef<object>> => {
      const pod = podIn(directory, 'exec sleep 600');
      await provider.create(pod, call);
      return new WeakRef(pod);
    };
    const pod = await create();
    await expect.poll(() => processesIn(directory).length).toBeGreaterThan(1);
    await provider.delete(reference('web'), { ...call, gracePeriodSeconds: 600 });
    await expect.poll(() => readdir(directory)).toEqual([]);
    await expect.poll(() => timers.size).toBe(0);
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    await expect.poll(() => (collect(), pod.deref())).toBeUndefined();
  });

  it('keeps the logs of the last two instances', async () => {
    const fast: Clock = { ...systemClock, setTimer: (ms, callback) => systemClock.setTimer(ms / 1000, callback) };
    const { directory, provider, observe } = await createSubject(fast);
    await using observed = await observe();
    await provider.create(podIn(directory, 'echo hello; exit 3', 'Always'), call);
    await observed.until('four restarts', () => (observed.get('uid-web')?.containers[0]?.restartCount ?? 0) >= 4);
    const names = await readdir(join(directory, 'uid-web'));
    expect(names.filter((name) => name.startsWith('main.0.'))).toEqual([]);
    expect(names.filter((name) => name.endsWith('.log')).length).toBeLessThanOrEqual(2);
    await provider.delete(reference('web'), { ...call, gracePeriodSeconds: 0 });
    await observed.until('the removal', () => observed.get('uid-web') === undefined);
  });
});
