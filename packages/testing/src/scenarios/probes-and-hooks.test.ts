import type { Pod } from '@rxlet/kube-api';
import { afterEach, describe, expect, it } from 'vitest';
import { manifestPod } from '@rxlet/pod-model/testing';
import { createTestNode, type TestNode } from '../test-node.ts';

const benches: TestNode[] = [];
afterEach(async () => {
  for (const bench of benches.splice(0)) await bench[Symbol.asyncDispose]();
});

function bench(script: object): TestNode {
  const made = createTestNode();
  made.fake.setScript({ container: 'app' }, script);
  benches.push(made);
  return made;
}

function web(container: object, spec: object = {}): Pod {
  return manifestPod('web', {
    containers: [{ name: 'app', image: 'registry.example/app:1', ...container }],
    ...spec,
  });
}

const http = (...responses: object[]): object => ({ ports: [{ port: 8080, protocol: 'http', responses }] });
const probe = { httpGet: { port: 8080 }, periodSeconds: 1, failureThreshold: 2 };

/** `Ready`, `started` and restarts of the container, as the pod's status has them. */
function shown(made: TestNode): string {
  const pod = made.agent().pods.list()[0];
  const [app] = pod?.status?.containerStatuses ?? [];
  const ready = pod?.status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  return `ready=${String(ready)} started=${String(app?.started)} restarts=${String(app?.restartCount)}`;
}

describe('probes of an agent', () => {
  it('make a pod ready when it answers, and not ready when it does not', async () => {
    const made = bench(http({ status: 503 }, { afterSeconds: 5, status: 200 }, { afterSeconds: 10, status: 500 }));
    await made.start();
    made.desire(web({ readinessProbe: probe }));
    await made.clock.advance(4_000);
    expect(shown(made)).toBe('ready=False started=true restarts=0');
    await made.clock.advance(3_000);
    expect(shown(made)).toBe('ready=True started=true restarts=0');
    await made.clock.advance(7_000);
    expect(shown(made)).toBe('ready=False started=true restarts=0');
    const [, ...messages] = made
      .agent()
      .events.list()
      .flatMap(({ reason, message }) => (reason === 'Unhealthy' ? message : []));
    expect(messages).toContain('Readiness probe failed: HTTP probe failed with statuscode: 500');
  });

  it('restart a container that fails its liveness probe', async () => {
    const made = bench(http({ status: 200 }, { afterSeconds: 5, status: 500 }));
    await made.start();
    made.desire(web({ livenessProbe: probe }, { terminationGracePeriodSeconds: 2 }));
    await made.clock.advance(5_000);
    expect(shown(made)).toBe('ready=True started=true restarts=0');
    await made.clock.runUntil(() => shown(made) === 'ready=True started=true restarts=1', 20_000);
    const reasons = made
      .agent()
      .events.list()
      .map(({ reason, message }) => `${reason}: ${message}`);
    expect(reasons).toContain('Unhealthy: Liveness probe failed: HTTP probe failed with statuscode: 500');
    expect(reasons).toContain('Killing: Container app failed liveness probe, will be restarted');
  });

  it('run the startup probe first', async () => {
    const made = bench(http({ status: 500 }, { afterSeconds: 6, status: 200 }));
    await made.start();
    made.desire(web({ startupProbe: { ...probe, failureThreshold: 30 }, livenessProbe: probe, readinessProbe: probe }));
    await made.clock.advance(5_000);
    // A liveness probe would have failed by now.
    expect(shown(made)).toBe('ready=False started=false restarts=0');
    await made.clock.advance(4_000);
    expect(shown(made)).toBe('ready=True started=true restarts=0');
  });

  it('do not let readiness flap when the agent is killed and started again', async () => {
    const made = bench(http({ status: 200 }));
    await made.start();
    made.desire(web({ readinessProbe: { ...probe, initialDelaySeconds: 30 } }));
    await made.clock.advance(40_000);
    expect(shown(made)).toBe('ready=True started=true restarts=0');
    await made.kill();
    const seen = new Set<string>();
    await made.start({ onCreated: ({ pods }) => pods.changes$.subscribe(() => seen.add(shown(made))) });
    await made.clock.advance(60_000);
    expect(shown(made)).toBe('ready=True started=true restarts=0');
    expect([...seen]).toEqual(['ready=True started=true restarts=0']);
  });

  it('keep the last reported status while the runtime does not answer a restarted agent', async () => {
    const made = bench(http({ status: 200 }));
    await made.start();
    made.desire(web({ readinessProbe: probe }));
    await made.clock.advance(5_000);
    const before = made.agent().pods.list()[0]?.status;
    await made.kill();
    made.fake.setFailpoint('podSandboxStatus', 'hang');
    await made.start();
    await made.clock.advance(20_000);
    expect(made.agent().pods.list()[0]?.status).toEqual(before);
    expect(before?.phase).toBe('Running');
  });

  it('leave a finished pod its addresses when the agent is started again', async () => {
    const made = bench({ runSeconds: 1, exitCode: 0 });
    await made.start();
    made.desire(web({}, { restartPolicy: 'Never' }));
    await made.clock.advance(10_000);
    const { phase, podIP } = made.agent().pods.list()[0]?.status ?? {};
    expect([phase, podIP]).toEqual(['Succeeded', expect.stringMatching(/^10\./)]);
    await made.kill();
    await made.start();
    await made.clock.advance(10_000);
    expect(made.agent().pods.list()[0]?.status).toMatchObject({ phase, podIP });
  });
});

describe('hooks of an agent', () => {
  it('run after the start and before the stop', async () => {
    const ran: string[] = [];
    const made = bench(http({ status: 200 }));
    const { execSync } = made.fake.runtime;
    made.fake.runtime.execSync = (request, options) => {
      ran.push((request.cmd ?? []).join(' '));
      return execSync({ ...request, cmd: ['true'] }, options);
    };
    await made.start();
    made.desire(
      web({
        lifecycle: { postStart: { exec: { command: ['warm', 'up'] } }, preStop: { exec: { command: ['say', 'bye'] } } },
      }),
    );
    await made.clock.runUntil(() => shown(made) === 'ready=True started=true restarts=0', 10_000);
    expect(ran).toEqual(['warm up']);
    made.desire();
    await made.clock.runUntil(() => made.fake.snapshot().sandboxes.length === 0, 60_000);
    expect(ran).toEqual(['warm up', 'say bye']);
  });

  it('do not hide that the sandbox is ready when they run long after the start', async () => {
    const made = bench(http({ status: 200 }));
    await made.start();
    made.desire(web({ lifecycle: { postStart: { sleep: { seconds: 600 } } } }));
    await made.clock.advance(5_000);
    const { conditions = [] } = made.agent().pods.list()[0]?.status ?? {};
    expect(conditions).toContainEqual(expect.objectContaining({ type: 'PodReadyToStartContainers', status: 'True' }));
    expect(made.running()).toEqual(['web/app']);
  });

  it('stop the container with the reason when they fail after the start', async () => {
    const made = bench(http({ status: 200 }));
    await made.start();
    const reasons = new Set<string | undefined>();
    /** Statuses that report the failed hook, but not its sandbox. */
    const torn: unknown[] = [];
    made.agent().pods.changes$.subscribe(({ pod: { status } }) => {
      const reason = status?.containerStatuses?.[0]?.state?.waiting?.reason;
      reasons.add(reason);
      if (reason === 'PostStartHookError' && status?.podIP === undefined) torn.push(status);
    });
    made.desire(web({ lifecycle: { postStart: { exec: { command: ['false'] } } } }));
    await made.clock.advance(5_000);
    expect([...reasons]).toEqual(expect.arrayContaining(['PostStartHookError', 'CrashLoopBackOff']));
    expect(made.running()).toEqual([]);
    expect(torn).toEqual([]);
    expect(
      made
        .agent()
        .events.list()
        .map(({ reason }) => reason),
    ).toContain('FailedPostStartHook');
  });
});
