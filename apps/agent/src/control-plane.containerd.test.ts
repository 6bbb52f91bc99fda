import { execFileSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ContainerState } from '@rxlet/cri-api';
import { containerdUnavailable } from '@rxlet/test-containerd/prerequisites';
import { type PrivateMachine, startPrivateMachine } from '@rxlet/test-containerd/private-machine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type AgentUnderTest,
  type ContainerdNode,
  hasRunningPods,
  startContainerdNode,
} from './test-support/containerd-node.ts';
import { controlPlaneImage } from './test-support/control-plane-image.ts';

const unavailable = containerdUnavailable();
if (unavailable !== undefined) console.warn(`skipped: ${unavailable}`);
const WORKLOAD = join(import.meta.dirname, '../workloads/control-plane');
const COMPONENTS = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];
/** The address in the manifests. */
const ADDRESS = '192.0.2.10';

/** Creates the files that exist before `kubeadm init` writes the manifests. */
const KUBEADM = `set -e
mkdir -p /etc/kubernetes/pki/etcd
cd /etc/kubernetes
touch controller-manager.conf
cd pki
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=kube-apiserver -days 1 \\
  -keyout apiserver.key -out apiserver.crt 2>/dev/null
touch ca.crt ca.key sa.key sa.pub apiserver-etcd-client.crt apiserver-etcd-client.key \\
  apiserver-kubelet-client.crt apiserver-kubelet-client.key \\
  etcd/ca.crt etcd/ca.key etcd/server.crt etcd/server.key etcd/peer.crt etcd/peer.key
`;

describe.skipIf(unavailable !== undefined)('the static pods of a kubeadm control plane on containerd', () => {
  let machine: PrivateMachine;
  let node: ContainerdNode;
  let agent: AgentUnderTest;

  /** Runs a script on the machine of the agent. */
  const onHost = (script: string): string => {
    const [program = '', ...args] = machine.enter;
    return execFileSync(program, [...args, 'sh', '-c', script], { encoding: 'utf8' }).trimEnd();
  };
  const inside = async (component: string, script: string): Promise<string> => {
    const container = (await agent.running(component, component))!;
    const { stdout, stderr } = await node.cri.runtime.execSync({
      containerId: container.id,
      cmd: ['sh', '-c', script],
    });
    return (new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr)).trimEnd();
  };
  const isReady = async (component: string): Promise<boolean> =>
    (await agent.pod(component))?.status?.conditions?.some(
      ({ type, status }) => type === 'Ready' && status === 'True',
    ) === true;

  beforeAll(async () => {
    machine = await startPrivateMachine({ directories: ['/etc', '/usr', '/var/lib'], addresses: [ADDRESS] });
    onHost(KUBEADM);
    node = await startContainerdNode(machine);
    const manifests = await readdir(WORKLOAD);
    const texts = await Promise.all(manifests.map((name) => readFile(join(WORKLOAD, name), 'utf8')));
    const images = texts.flatMap((text) => /^ +image: (\S+)$/m.exec(text)?.[1] ?? []);
    await node.containerd.importImage(controlPlaneImage(images));
    agent = await node.agent({}, async ({ manifests: folder }) => {
      // Only the probes' times differ: with 10 s the pods become ready after 20 s, as in the kubelet.
      for (const [index, name] of manifests.entries())
        await writeFile(
          join(folder, name),
          texts[index]!.replaceAll(/(initialDelaySeconds|periodSeconds): 10/g, '$1: 1'),
        );
    });
  });
  afterAll(async () => {
    await agent?.[Symbol.asyncDispose]();
    await node?.[Symbol.asyncDispose]();
    await machine?.[Symbol.asyncDispose]();
  });

  it('become ready by their probes', async () => {
    for (const name of COMPONENTS) await agent.eventually(`${name} is ready`, () => isReady(name), 60_000);
    for (const name of COMPONENTS) {
      const pod = (await agent.pod(name))!;
      expect(pod.status).toMatchObject({ phase: 'Running', hostIP: ADDRESS, podIP: ADDRESS, qosClass: 'Burstable' });
      expect(await agent.status(name, name)).toMatchObject({ restartCount: 0, started: true });
    }
    // Probes may come before a server listens.
    const reasons = (await agent.process.events()).filter(({ type }) => type !== 'Normal').map(({ reason }) => reason);
    expect(reasons.filter((reason) => reason !== 'Unhealthy')).toEqual([]);
  });

  it('mount the files of the host and create missing ones', async () => {
    expect(await inside('etcd', 'cat /var/lib/etcd/member')).toBe('data');
    expect(onHost('cat /var/lib/etcd/member; stat -c "%F %a" /var/lib/etcd /etc/kubernetes/scheduler.conf')).toBe(
      'data\ndirectory 755\nregular empty file 644',
    );
    const certificate = onHost('cat /etc/kubernetes/pki/apiserver.crt');
    expect(await inside('kube-apiserver', 'cat /etc/kubernetes/pki/apiserver.crt')).toBe(certificate);
    expect(await inside('kube-apiserver', 'touch /etc/kubernetes/pki/new')).toContain('Read-only file system');
    expect(await inside('kube-scheduler', 'echo >> /etc/kubernetes/scheduler.conf')).toContain('Read-only file system');
  });

  it('share the network of the host, and run with the default seccomp profile', async () => {
    const network = onHost('readlink /proc/self/ns/net');
    for (const name of COMPONENTS) {
      expect(await inside(name, 'readlink /proc/self/ns/net')).toBe(network);
      expect(await inside(name, 'grep Seccomp: /proc/1/status')).toBe('Seccomp:\t2');
    }
  });

  it('stay when the agent is killed, and end with their manifests', async () => {
    const runningIds = async (): Promise<readonly string[]> =>
      (await agent.containers())
        .filter(({ state }) => state === ContainerState.CONTAINER_RUNNING)
        .map(({ id }) => id)
        .sort();
    const before = await runningIds();
    await agent.end('SIGKILL');
    agent.startAgain();
    for (const name of COMPONENTS) await agent.eventually(`${name} is ready`, () => isReady(name));
    expect(await runningIds()).toEqual(before);

    for (const name of COMPONENTS) await agent.remove(name);
    await agent.eventually('nothing runs', async () => !(await hasRunningPods(node.cri)), 60_000);
    expect(onHost('cat /var/lib/etcd/member')).toBe('data');
  });
});
