import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@rxlet/test-containerd/eventually';
import { containerdUnavailable } from '@rxlet/test-containerd/prerequisites';
import { type PrivateContainerd, startPrivateContainerd } from '@rxlet/test-containerd/private-containerd';
import { type PrivateMachine, startPrivateMachine } from '@rxlet/test-containerd/private-machine';
import { run } from '@rxlet/test-containerd/processes';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { workspaceRoot } from '../workspace/workspace-files.ts';
import { buildPackages, debianArchitecture } from './test-support/build-packages.ts';
import { type Program, startProgram } from './test-support/program.ts';

const VERSION = '0.1.0';
/** Address of the machine, at which its pods reach the API server. */
const ADDRESS = '10.63.0.1';
const SERVER = `https://${ADDRESS}:6443`;
const MANIFEST = join(workspaceRoot, 'deploy/virtual-nodes.yaml');
const BOOT_TIMEOUT_MS = 120_000;

interface Kubeconfig {
  readonly clusters: [{ readonly cluster: { server: string; 'certificate-authority-data': string } }];
  readonly users: [{ readonly user: { 'client-certificate-data'?: string; 'client-key-data'?: string } }];
}

const unavailable = containerdUnavailable();

describe.skipIf(unavailable !== undefined)('the image of the agent', () => {
  let folder: string;
  let machine: PrivateMachine;
  let containerd: PrivateContainerd;
  const programs: Program[] = [];

  const start = (name: string, ...args: string[]): Program => {
    const program = startProgram(machine, join(workspaceRoot, 'node_modules/.bin', name), args);
    programs.push(program);
    return program;
  };
  const on = (...command: string[]): Promise<string> => {
    const [program = '', ...args] = machine.enter;
    return run(program, [...args, ...command]);
  };
  const kubeconfig = async (name: string): Promise<Kubeconfig> =>
    parse(await readFile(join(folder, name), 'utf8')) as Kubeconfig;
  const startServer = (...flags: string[]): Program =>
    start(
      'fake-kube',
      ...['--listen', '0.0.0.0:6443', '--name', ADDRESS, '--state-file', join(folder, 'state')],
      ...['--kubeconfig', join(folder, 'admin'), '--bootstrap-kubeconfig', join(folder, 'bootstrap')],
      ...['--node-kubeconfig', `node1=${join(folder, 'node1')}`, ...flags],
    );

  /** Sends a request as an administrator, with an object in JSON if given. */
  const request = async <T>(path: string, object?: object): Promise<T> => {
    const body = object === undefined ? [] : ['--json', JSON.stringify(object)];
    const credentials = [
      '--cacert',
      `${folder}/ca.pem`,
      '--cert',
      `${folder}/admin.pem`,
      '--key',
      `${folder}/admin.key`,
    ];
    return JSON.parse(await on('curl', '--silent', ...credentials, ...body, `${SERVER}${path}`)) as T;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rxlet-image-'));
    buildPackages(join(folder, 'packages'), VERSION);
    machine = await startPrivateMachine({ directories: ['/etc', '/var', '/run'], addresses: [ADDRESS] });
    containerd = await startPrivateContainerd({ directory: join(folder, 'ctd'), enter: machine.enter });
    await containerd.importImage(join(folder, 'packages', `rxlet-image_${VERSION}_${debianArchitecture()}.oci.tar`));

    // The first run makes the credentials, of which the second has one in a Secret.
    const first = startServer();
    await first.printed('fake API server listening');
    await first.end();
    const bootstrap = await kubeconfig('bootstrap');
    bootstrap.clusters[0].cluster.server = SERVER;
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'rxlet-bootstrap', namespace: 'rxlet' },
      data: { kubeconfig: Buffer.from(stringify(bootstrap)).toString('base64') },
    };
    await writeFile(join(folder, 'secret.json'), JSON.stringify(secret));
    const objects = ['--objects', MANIFEST, '--objects', join(folder, 'secret.json')];
    await startServer(...objects, '--schedule', '--controllers').printed('fake API server listening');
    const { clusters, users } = await kubeconfig('admin');
    const credentials = {
      'ca.pem': clusters[0].cluster['certificate-authority-data'],
      'admin.pem': users[0].user['client-certificate-data'] ?? '',
      'admin.key': users[0].user['client-key-data'] ?? '',
    };
    for (const [name, data] of Object.entries(credentials))
      await writeFile(join(folder, name), Buffer.from(data, 'base64'));

    const config = { cgroupsPerQOS: false, enforceNodeAllocatable: ['none'], failSwapOn: false };
    const kind = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' };
    await mkdir(join(folder, 'kubelet'), { mode: 0o700 });
    await writeFile(join(folder, 'kubelet.json'), JSON.stringify({ ...kind, ...config }));
    start(
      'rxlet',
      ...['--kubeconfig', join(folder, 'node1'), '--config', join(folder, 'kubelet.json')],
      ...['--root-dir', join(folder, 'kubelet'), '--hostname-override', 'node1', '--node-ip', ADDRESS],
      ...['--container-runtime-endpoint', containerd.endpoint],
    );
  });
  afterAll(async () => {
    for (const program of programs.toReversed()) await program.end();
    await containerd?.[Symbol.asyncDispose]();
    await machine?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  interface WithStatus {
    readonly items?: readonly { readonly status?: object }[];
    readonly status?: { readonly phase?: string; readonly conditions?: readonly { type: string; status: string }[] };
  }
  const details = async (): Promise<string> =>
    JSON.stringify(await request<WithStatus>('/api/v1/pods')) + programs.map((program) => program.output()).join('\n');

  it('makes a virtual node beside a real one, by the manifest of the DaemonSet', async () => {
    let problem = '';
    await eventually(
      'the virtual node is ready',
      async () => {
        const node = await request<WithStatus>('/api/v1/nodes/virtual-node1').catch((error: unknown) => {
          problem = String(error);
        });
        problem = await details().catch(String);
        return node?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
      },
      () => problem,
      BOOT_TIMEOUT_MS,
    );
  });

  it('runs pods that tolerate the taint of the virtual node, and the DaemonSet has no pod there', async () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'guest', namespace: 'default' },
      spec: {
        nodeSelector: { 'rxlet.dev/virtual': 'true' },
        tolerations: [{ key: 'rxlet.dev/virtual', operator: 'Exists' }],
        containers: [{ name: 'app', image: 'registry.invalid/app:1' }],
      },
    };
    await request('/api/v1/namespaces/default/pods', pod);
    await eventually(
      'the pod runs',
      async () => (await request<WithStatus>('/api/v1/namespaces/default/pods/guest')).status?.phase === 'Running',
    );
    expect((await request<WithStatus>('/api/v1/namespaces/rxlet/pods')).items).toHaveLength(1);
  });
});
