import type { EnsuredImage } from '@rxlet/agent-api/images';
import { create } from '@bufbuild/protobuf';
import { ImageSchema } from '@rxlet/cri-api';
import { createManagerBench, type ManagerBench, type ManagerBenchParts } from '../testing/manager-bench.ts';
import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { createFakeRuntime, createMemoryLogs, type FakeRuntime } from '@rxlet/fake-cri';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';

interface Bench extends ManagerBench {
  readonly fake: FakeRuntime;
}

function bench(parts: Partial<ManagerBenchParts> = {}): Bench {
  const clock = createVirtualClock();
  const fake = createFakeRuntime({ clock, random: seededRandom(2), logs: createMemoryLogs() });
  return { ...createManagerBench({ clock, runtime: fake.runtime, images: fake.images, ...parts }), fake };
}

describe('syncPod', () => {
  it('starts a pod, and then needs no further steps', async () => {
    const b = bench();
    const pod = testPod({ containers: [{ name: 'a' }, { name: 'b' }] });
    expect(await b.sync(pod)).toEqual({
      results: [
        { action: 'CreatePodSandbox', target: 'web_default(uid-web)' },
        { action: 'StartContainer', target: 'a' },
        { action: 'StartContainer', target: 'b' },
      ],
    });
    expect(await b.containers(pod)).toEqual(['a/0 running', 'b/0 running']);
    expect(await b.sync(pod)).toEqual({ results: [] });
    expect(b.events.list().map(({ reason, message, object }) => [reason, message, object.fieldPath])).toEqual([
      ['MissingClusterDNS', expect.stringContaining('"ClusterFirst" policy'), undefined],
      ['Created', 'Container created', 'spec.containers{a}'],
      ['Started', 'Container started', 'spec.containers{a}'],
      ['Created', 'Container created', 'spec.containers{b}'],
      ['Started', 'Container started', 'spec.containers{b}'],
    ]);
  });

  it('reports the addresses of a new sandbox before it starts a container in it', async () => {
    const b = bench();
    const pod = testPod();
    const reports: unknown[] = [];
    const onSandboxReady = (ips: readonly string[]): void =>
      void reports.push([...ips, b.fake.snapshot().containers.length]);
    await b.manager.syncPod(pod, await b.status(pod), { onSandboxReady });
    const { ips } = await b.status(pod);
    expect(reports).toEqual([[...ips, 0]]);
    b.fake.exitContainer(await b.idOf(pod, 'app'), 1);
    await b.manager.syncPod(pod, await b.status(pod), { onSandboxReady });
    expect(reports).toHaveLength(1);
  });

  it('uses the image manager’s user of an image, and falls back to the runtime’s', async () => {
    const pod = testPod({ containers: [{ securityContext: { runAsNonRoot: true } }] });
    const reasonWith = async (user: EnsuredImage['user']): Promise<string | undefined> => {
      const b = bench({ ports: { images: { ensureImageExists: async () => ({ imageRef: 'any', user }) } } });
      await b.fake.images.pullImage({ image: { image: 'any' } });
      return (await b.sync(pod)).error?.failures[0]?.message;
    };
    const { uid } = create(ImageSchema, { uid: { value: 1000n } });
    expect(await reasonWith({ uid, username: '' })).toBeUndefined();
    expect(await reasonWith({ username: 'app' })).toContain('non-numeric user (app)');
    expect(await reasonWith({ username: '' })).toContain('image will run as root');
    expect(await reasonWith(undefined)).toContain('image will run as root');
  });

  it('creates the pod’s files with the kubelet’s modes', async () => {
    const b = bench();
    const pod = testPod({ containers: [{ terminationMessagePath: '/dev/termination-log' }] });
    await b.sync(pod);
    expect(b.files.info('/var/log/pods/default_web_uid-web/app')?.mode).toBe(0o755);
    expect(b.files.info('/var/lib/kubelet/pods/uid-web')?.mode).toBe(0o750);
    expect(b.files.info('/var/lib/kubelet/pods/uid-web/etc-hosts')?.mode).toBe(0o644);
    const message = b.files.paths().find((path) => path.startsWith('/var/lib/kubelet/pods/uid-web/containers/app/'));
    expect(message).toMatch(/\/[0-9a-f]{8}$/);
    expect(b.files.info(message!)?.mode).toBe(0o666);
  });

  it('reads resolv.conf anew after a second, and creates no sandbox while it cannot be read', async () => {
    const b = bench({ options: { resolvConf: '/etc/resolv.conf' } });
    const calls: (string | undefined)[] = [];
    const run = b.fake.runtime.runPodSandbox;
    b.fake.runtime.runPodSandbox = (request, options) => {
      calls.push(request.config?.dnsConfig?.servers?.[0]);
      return run(request, options);
    };
    const pods = ['one', 'two', 'three'].map((name) => testPod({ name, spec: { dnsPolicy: 'Default' } }));
    // A link, as systemd-resolved makes it.
    b.files.putLink('/etc/resolv.conf', '/run/resolv.conf');
    b.files.put('/run/resolv.conf', 'nameserver 192.0.2.1\n');
    await b.sync(pods[0]!);
    b.files.put('/run/resolv.conf', 'nameserver 192.0.2.2\n');
    await b.clock.advance(1000);
    await b.sync(pods[1]!);
    expect(calls).toEqual(['192.0.2.1', '192.0.2.2']);
    b.files.remove('/run/resolv.conf');
    await b.clock.advance(1000);
    const { results } = await b.sync(pods[2]!);
    expect(results).toMatchObject([
      {
        action: 'CreatePodSandbox',
        reason: 'CreatePodSandboxError',
        message: expect.stringContaining(
          'cannot read resolv.conf for pods: /etc/resolv.conf: no such file; set resolvConf to another file, or to "" for none',
        ) as string,
      },
    ]);
  });

  it('links an existing log for log shippers', async () => {
    const b = bench({ options: { containerLogsDirectory: '/var/log/containers' } });
    const pod = testPod();
    await b.sync(pod);
    const links = () => b.files.paths().filter((path) => path.startsWith('/var/log/containers/'));
    expect(links()).toEqual([]);
    const log = '/var/log/pods/default_web_uid-web/app/1.log';
    b.files.put(log, '');
    b.fake.exitContainer(await b.idOf(pod, 'app'), 0);
    await b.sync(pod);
    expect(links()).toEqual([`/var/log/containers/web_default_app-${await b.idOf(pod, 'app')}.log -> ${log}`]);
  });

  it('runs init containers one after the other, then the regular ones', async () => {
    const b = bench();
    const pod = testPod({
      initContainers: [
        { name: 'i1', command: ['sleep', '5'] },
        { name: 'i2', command: ['sleep', '3'] },
      ],
      containers: [{ name: 'main' }],
    });
    await b.settle(pod);
    expect(await b.containers(pod)).toEqual(['i1/0 running']);
    await b.clock.advance(5000);
    await b.settle(pod);
    expect(await b.containers(pod)).toEqual(['i1/0 exited', 'i2/0 running']);
    await b.clock.advance(3000);
    await b.settle(pod);
    expect(await b.containers(pod)).toEqual(['i1/0 exited', 'i2/0 exited', 'main/0 running']);
  });

  it('starts a sidecar before later containers, and keeps it running', async () => {
    const b = bench();
    const pod = testPod({
      initContainers: [
        { name: 'proxy', restartPolicy: 'Always' },
        { name: 'setup', command: ['true'] },
      ],
      containers: [{ name: 'main' }],
    });
    await b.settle(pod);
    expect(await b.containers(pod)).toEqual(['proxy/0 running', 'setup/0 exited', 'main/0 running']);
    b.fake.exitContainer(await b.idOf(pod, 'proxy'), 0);
    await b.settle(pod);
    expect(await b.containers(pod)).toEqual(['proxy/0 exited', 'setup/0 exited', 'main/0 running', 'proxy/1 running']);
  });

  it('kills a pod whose init container failed and may not restart', async () => {
    const b = bench();
    const pod = testPod({ restartPolicy: 'Never', initContainers: [{ name: 'i', command: ['false'] }] });
    await b.sync(pod);
    await b.clock.settle();
    await b.sync(pod);
    expect(await b.containers(pod)).toEqual(['i/0 exited']);
    expect(await b.sandboxes(pod)).toEqual(['0 notready']);
  });

  it('replaces a dead sandbox with its containers', async () => {
    const b = bench();
    const pod = testPod({ initContainers: [{ name: 'i', command: ['true'] }], containers: [{ name: 'main' }] });
    await b.settle(pod);
    const [sandbox] = (await b.status(pod)).sandboxes;
    await b.fake.runtime.stopPodSandbox({ podSandboxId: sandbox!.id });
    await b.settle(pod);
    expect(await b.sandboxes(pod)).toEqual(['1 ready', '0 notready']);
    expect(await b.containers(pod)).toEqual(['main/0 exited', 'i/1 exited', 'main/1 running']);
    expect(b.eventTexts()).toContain('SandboxChanged: Pod sandbox changed, it will be killed and re-created.');
  });

  it('replaces a container whose image changed', async () => {
    const b = bench();
    await b.settle(testPod({ containers: [{ image: 'app:1' }] }));
    const changed = testPod({ containers: [{ image: 'app:2' }] });
    await b.settle(changed);
    expect(await b.containers(changed)).toEqual(['app/0 exited', 'app/1 running']);
    expect(b.eventTexts()).toContain('Killing: Container app definition changed, will be restarted');
  });

  it('restarts a container that failed its liveness probe, with the grace period of the probe', async () => {
    const b = bench();
    const pod = testPod({
      containers: [
        { command: ['sh', '-c', "trap '' TERM; sleep 1000"], livenessProbe: { terminationGracePeriodSeconds: 5 } },
      ],
    });
    await b.settle(pod);
    const startMs = b.clock.now();
    const livenessResults = new Map([[await b.idOf(pod, 'app'), 'failure'] as const]);
    await b.during(b.manager.syncPod(pod, await b.status(pod), { livenessResults }));
    expect(b.clock.now() - startMs).toBe(5000);
    expect(await b.containers(pod)).toEqual(['app/0 exited', 'app/1 running']);
    expect(b.eventTexts()).toContain('Killing: Container app failed liveness probe, will be restarted');
  });

  it('restarts all containers in place when a rule demands it', async () => {
    const b = bench();
    const restartPolicyRules = [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }];
    const pod = testPod({
      containers: [{ name: 'main', restartPolicy: 'Never', restartPolicyRules }, { name: 'other' }],
    });
    await b.settle(pod);
    b.fake.exitContainer(await b.idOf(pod, 'main'), 42);
    const reset = await b.during(b.sync(pod));
    expect(reset.results).toEqual([
      { action: 'RemoveContainer', target: 'other' },
      { action: 'RemoveContainer', target: 'main' },
    ]);
    expect(b.eventTexts().filter((text) => text.startsWith('Killing'))).toEqual(['Killing: killing']);
    expect(await b.containers(pod)).toEqual([]);
    await b.settle(pod);
    expect(await b.sandboxes(pod)).toEqual(['0 ready']);
    expect(await b.containers(pod)).toEqual(['main/0 running', 'other/0 running']);
  });

  it('starts an ephemeral container once, in the process namespace of its target', async () => {
    const b = bench();
    const pod = testPod({
      containers: [{ name: 'main' }],
      spec: {
        ephemeralContainers: [{ name: 'debug', image: 'tools', targetContainerName: 'main', command: ['true'] }],
      },
    });
    await b.sync(pod);
    // Not in the first sync: the target was not there yet.
    expect(await b.containers(pod)).toEqual(['main/0 running']);
    await b.settle(pod);
    await b.clock.settle();
    await b.settle(pod);
    expect(await b.containers(pod)).toEqual(['main/0 running', 'debug/0 exited']);
  });

  it('derives the restart count from log files when the runtime has no instances', async () => {
    const b = bench();
    const pod = testPod();
    b.files.put('/var/log/pods/default_web_uid-web/app/3.log', '');
    b.files.put('/var/log/pods/default_web_uid-web/app/10.log.20260101-000000.gz', '');
    await b.sync(pod);
    expect(await b.containers(pod)).toEqual(['app/11 running']);
  });

  it('sets the sandbox’s addresses in the container’s environment', async () => {
    const b = bench();
    const pod = testPod({
      containers: [
        {
          env: [{ name: 'IP', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'status.podIP' } } }],
          command: ['true'],
        },
      ],
    });
    await b.sync(pod);
    const [ip] = (await b.status(pod)).ips;
    expect(b.files.text('/var/lib/kubelet/pods/uid-web/etc-hosts')).toContain(`${ip!}\tweb\n`);
  });
});
