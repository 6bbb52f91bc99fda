import { nowNanos, systemClock } from '@rxlet/component-base';
import type { ContainerStatus } from '@rxlet/kube-api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AgentUnderTest, type TestNode, shell, untilStopped } from './test-support/containerd-node.ts';
import { describeOnEachRuntime } from './test-support/runtimes.ts';

// One agent for all, and all at the same time: each has a pod of its own, and most of the time is spent waiting.
describeOnEachRuntime('the life of containers', { concurrent: true }, (startNode) => {
  let node: TestNode;
  let agent: AgentUnderTest;
  beforeAll(async () => {
    node = await startNode();
    agent = await node.agent();
  });
  afterAll(async () => {
    await agent?.[Symbol.asyncDispose]();
    await node?.[Symbol.asyncDispose]();
  });

  const idsOf = (pod: string, names: readonly string[]): Promise<string[]> =>
    agent.eventually(`the containers of ${pod}`, async () => {
      const found = await Promise.all(names.map((name) => agent.containers(pod, name)));
      return found.every(({ length }) => length === 1) ? found.map(([one]) => one!.id) : undefined;
    });
  const isUp = (pod: string, name: string): Promise<boolean> =>
    agent.eventually(`${name} is up`, async () =>
      (await agent.process.command('logs', pod, '-c', name)).stdout.includes('up'),
    );
  const removed = async (pod: string): Promise<void> => {
    await agent.remove(pod);
    await agent.eventually(`nothing is left of ${pod}`, async () => (await agent.sandboxes(pod)).length === 0);
  };

  it.each([
    { pod: 'stopped', ending: 'the pod is deleted', main: untilStopped(0.5), isDeleted: true },
    { pod: 'finished', ending: 'the main container has ended', main: 'sleep 0.5', isDeleted: false },
  ])('starts sidecars first, and stops them last in reverse order when $ending', async ({ pod, main, isDeleted }) => {
    await agent.write(pod, {
      terminationGracePeriodSeconds: 30,
      restartPolicy: 'Never',
      // Each takes its time to stop, so that one that does not wait for the others would be gone before them.
      initContainers: [
        { name: 'early', restartPolicy: 'Always', ...shell(untilStopped(0.1)) },
        { name: 'setup', ...shell('sleep 0.2') },
        { name: 'late', restartPolicy: 'Always', ...shell(untilStopped(0.3)) },
      ],
      containers: [{ name: 'main', ...shell(main) }],
    });
    const ids = await idsOf(pod, ['early', 'setup', 'late', 'main']);
    if (isDeleted) {
      // A shell that has no trap yet ignores SIGTERM, and ends with its grace period.
      for (const name of ['early', 'late', 'main']) await isUp(pod, name);
      await removed(pod);
    }
    const times = await Promise.all(ids.map((id) => node.events.timesOf(id)));
    const [early, setup, late, end] = times;
    expect(early!.startedNs).toBeLessThan(setup!.startedNs);
    expect(setup!.endedNs).toBeLessThan(late!.startedNs);
    expect(late!.startedNs).toBeLessThan(end!.startedNs);
    expect(end!.endedNs).toBeLessThan(late!.endedNs);
    expect(late!.endedNs).toBeLessThan(early!.endedNs);
    // All ended by themselves on SIGTERM.
    expect(times.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
    if (isDeleted) return;
    await agent.eventually('the pod has succeeded', async () => (await agent.pod(pod))?.status?.phase === 'Succeeded');
  });

  /** Script whose exit code shows whether the file /tmp/stop existed at SIGTERM: 40, else 41. */
  const tellsOfStop = "trap '[ -e /tmp/stop ]; exit $((40 + $?))' TERM; echo up; while :; do sleep 0.1; done";
  /** Serves HTTP on port 8080; a request for /cgi-bin/stop leaves the file /tmp/stop. */
  const server =
    'mkdir -p /www/cgi-bin; ' +
    String.raw`printf '#!/bin/sh\ntouch /tmp/stop\necho "Content-Type: text/plain"\necho\n' > /www/cgi-bin/stop; ` +
    'chmod +x /www/cgi-bin/stop; httpd -p 8080 -h /www; ';
  const exec = (script: string): object => ({ exec: { command: ['sh', '-c', script] } });

  it('runs postStart before the next container starts', async () => {
    await agent.write('started', {
      containers: [
        {
          name: 'first',
          ...shell(untilStopped()),
          lifecycle: { postStart: exec('sleep 0.5; echo from the hook > /tmp/started') },
        },
        { name: 'second', ...shell(untilStopped()) },
      ],
    });
    const [first, second] = await idsOf('started', ['first', 'second']);
    const { stdout } = await node.cri.runtime.execSync({ containerId: first!, cmd: ['cat', '/tmp/started'] });
    expect(new TextDecoder().decode(stdout)).toBe('from the hook\n');
    await agent.eventually('both run', () => agent.running('started', 'second'));
    await removed('started');
    const [before, after] = await Promise.all([first!, second!].map((id) => node.events.timesOf(id)));
    expect(after!.startedNs - before!.startedNs).toBeGreaterThanOrEqual(500_000_000n);
  });

  it('runs preStop before the container is stopped', async () => {
    const hooks = {
      exec: exec('sleep 0.3; touch /tmp/stop'),
      http: { httpGet: { port: 8080, path: '/cgi-bin/stop' } },
      sleep: { sleep: { seconds: 1 } },
    };
    const names = ['exec', 'http', 'sleep'] as const;
    await agent.write('hooked', {
      terminationGracePeriodSeconds: 30,
      containers: names.map((name) => ({
        name,
        ...shell(`${name === 'http' ? server : ''}${tellsOfStop}`),
        lifecycle: { preStop: hooks[name] },
      })),
    });
    const ids = await idsOf('hooked', names);
    for (const name of names) {
      // It is ready for what comes, and the server answers.
      await isUp('hooked', name);
    }
    const deletedNs = nowNanos(systemClock);
    await removed('hooked');
    const times = await Promise.all(ids.map((id) => node.events.timesOf(id)));
    expect(times.map(({ exitCode }) => exitCode)).toEqual([40, 40, 41]);
    expect(times[2]!.endedNs - deletedNs).toBeGreaterThanOrEqual(1_000_000_000n);
    expect((await agent.eventsOf('hooked')).filter(({ reason }) => reason === 'FailedPreStopHook')).toEqual([]);
  });

  it('lets a preStop command that does not end run on after the grace period', async () => {
    // Exits with 40 when the hook's process still writes after SIGTERM, else with 41.
    const script =
      "trap 'rm -f /tmp/beat; sleep 1; [ -e /tmp/beat ]; exit $((40 + $?))' TERM; echo up; while :; do sleep 0.1; done";
    await agent.write('endless', {
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: 'main',
          ...shell(script),
          lifecycle: { preStop: exec('while :; do touch /tmp/beat; sleep 0.1; done') },
        },
      ],
    });
    const [id] = await idsOf('endless', ['main']);
    await agent.eventually('it is up', async () =>
      (await agent.process.command('logs', 'endless', '-c', 'main')).stdout.includes('up'),
    );
    await removed('endless');
    expect((await node.events.timesOf(id!)).exitCode).toBe(40);
    await agent.eventually('the hook has failed', async () =>
      (await agent.eventsOf('endless')).some(({ reason }) => reason === 'FailedPreStopHook'),
    );
  });

  it('kills a container whose postStart fails, and reports why', async () => {
    await agent.write('unhooked', {
      containers: [
        { name: 'bad', ...shell(tellsOfStop), lifecycle: { postStart: exec('sleep 0.3; echo cannot; exit 7') } },
        { name: 'good', ...shell(untilStopped()) },
      ],
    });
    const shown = new Set<string>();
    const last = await agent.eventually('back-off', async () => {
      const status = await agent.status('unhooked', 'bad');
      const { reason = '', message = '' } = status?.state?.waiting ?? {};
      shown.add(`${reason}: ${message}`);
      return reason === 'CrashLoopBackOff' && status;
    });
    expect([...shown]).toContainEqual(
      expect.stringMatching(
        /^PostStartHookError: Exec lifecycle hook \(\[sh -c sleep 0\.3; echo cannot; exit 7\]\) for Container "bad" in Pod "unhooked-node1_default\(.*\)" failed - error: .*7.*, message: "cannot\\n"/,
      ),
    );
    expect(await agent.eventsOf('unhooked')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'Warning', reason: 'FailedPostStartHook', message: 'PostStartHook failed' }),
        expect.objectContaining({ type: 'Normal', reason: 'Killing', message: 'FailedPostStartHook' }),
      ]),
    );
    // It was stopped, not killed.
    expect(last.lastState?.terminated?.exitCode).toBe(41);
    expect(await agent.running('unhooked', 'good')).toBeDefined();
  });

  it('restarts a crashing container at once, after 10 s, and then after 20 s', async () => {
    await agent.write('crash', { containers: [{ name: 'main', ...shell('exit 3') }] });
    /** Waits until the container waits; gives its status and its last instance. */
    const backOff = (delay: string): Promise<{ status: ContainerStatus; containerId: string }> =>
      agent.eventually(`back-off ${delay}`, async () => {
        const status = await agent.status('crash', 'main');
        const message = `back-off ${delay} restarting failed container=main pod=crash-node1_default(`;
        if (status?.state?.waiting?.message?.startsWith(message) !== true) return undefined;
        const [newest] = await agent.containers('crash', 'main');
        return { status, containerId: newest!.id };
      });
    const first = await backOff('10s');
    expect(first.status).toMatchObject({
      restartCount: 1,
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: { terminated: { exitCode: 3, reason: 'Error' } },
    });
    const second = await backOff('20s');
    expect(second.status).toMatchObject({ restartCount: 2 });

    const [sandbox] = await agent.sandboxes('crash');
    const restarted = await node.events.timesOf(first.containerId);
    const again = await node.events.timesOf(second.containerId);
    expect(restarted.startedNs - sandbox!.createdAt).toBeLessThan(9_000_000_000n);
    expect(again.startedNs - restarted.endedNs).toBeGreaterThanOrEqual(10_000_000_000n);
    expect(again.startedNs - restarted.endedNs).toBeLessThan(19_000_000_000n);
    expect(await agent.eventsOf('crash')).toContainEqual(
      expect.objectContaining({
        type: 'Warning',
        reason: 'BackOff',
        message: expect.stringMatching(
          /^Back-off restarting failed container main in pod crash-node1_default\(/,
        ) as unknown,
      }),
    );
  });
});
