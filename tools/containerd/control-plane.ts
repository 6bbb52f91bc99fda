import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@rxlet/component-base';
import { type CertificateSubject, createCertificateAuthority } from '@rxlet/fake-kube';
import { eventually } from './eventually.ts';
import { run } from './processes.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { isExecutable } from './is-executable.ts';

const FOLDER = process.env['RXLET_TEST_CONTROL_PLANE'];
const PROGRAMS = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl'];
const START_TIMEOUT_MS = 60_000;

/** Returns one line why no control plane can be started here (for a skipped test); `undefined` if it can. */
export function controlPlaneUnavailable(): string | undefined {
  if (FOLDER === undefined || FOLDER === '')
    return `RXLET_TEST_CONTROL_PLANE does not name a folder with ${PROGRAMS.join(', ')}`;
  const missing = PROGRAMS.filter((name) => !isExecutable(join(FOLDER, name)));
  return missing.length === 0 ? undefined : `not found in ${FOLDER}: ${missing.join(', ')}`;
}

/** The programs of a Kubernetes control plane, on ports of their own. Disposing of it ends them. */
export interface ControlPlane extends AsyncDisposable {
  readonly folder: string;
  /** URL of the API server. */
  readonly server: string;
  /** Certificate of the authority that issued all certificates. */
  readonly caPath: string;
  /** File with an administrator's credentials. */
  readonly adminKubeconfig: string;
  /** Writes a kubeconfig with the credentials of a node. @returns its path */
  nodeKubeconfig(nodeName: string): Promise<string>;
  /** Issues a certificate. @returns the paths of certificate and key */
  issue(name: string, subject: CertificateSubject): Promise<{ readonly certificate: string; readonly key: string }>;
  /** Runs kubectl as an administrator. @returns its standard output @throws Error with its standard error */
  kubectl(args: readonly string[], input?: string): Promise<string>;
  /** Applies objects. */
  apply(...objects: readonly object[]): Promise<void>;
  /** Ends the API server at once; the other programs keep running. */
  stopApiServer(): Promise<void>;
  startApiServer(): Promise<void>;
  /** Process IDs by the names of the programs. */
  pids(): ReadonlyMap<string, number>;
}

/** Options of {@link startControlPlane}. */
export interface ControlPlaneOptions {
  /** Whether the controller manager and the scheduler run. Default: true. */
  readonly controllers?: boolean;
  /** Further flags of the API server. Default: none. */
  readonly apiServerFlags?: readonly string[];
}

/** Starts a control plane with authorization of nodes, as clusters have it. */
export async function startControlPlane(
  folder: string,
  { controllers = true, apiServerFlags = [] }: ControlPlaneOptions = {},
): Promise<ControlPlane> {
  const unavailable = controlPlaneUnavailable();
  if (unavailable !== undefined) throw new Error(unavailable);
  await mkdir(folder, { recursive: true });
  const authority = await createCertificateAuthority({ clock: systemClock, random: systemRandom });
  const file = async (name: string, content: string): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, content, { mode: 0o600 });
    return path;
  };
  const issue: ControlPlane['issue'] = async (name, subject) => {
    const { certificatePem, keyPem } = await authority.issue(subject);
    return { certificate: await file(`${name}.crt`, certificatePem), key: await file(`${name}.key`, keyPem) };
  };
  const caPath = await file('ca.crt', authority.certificatePem);
  const [apiPort = 0, etcdPort = 0, peerPort = 0, managerPort = 0, schedulerPort = 0] = await freePorts(5);
  const server = `https://127.0.0.1:${String(apiPort)}`;
  const etcd = `http://127.0.0.1:${String(etcdPort)}`;

  const kubeconfig = async (name: string, commonName: string, ...organizations: string[]): Promise<string> => {
    const { certificate, key } = await issue(name, { commonName, organizations, usages: ['client auth'] });
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'test', cluster: { server, 'certificate-authority': caPath } }],
      users: [{ name, user: { 'client-certificate': certificate, 'client-key': key } }],
      contexts: [{ name: 'test', context: { cluster: 'test', user: name } }],
      'current-context': 'test',
    };
    return file(`${name}.kubeconfig`, JSON.stringify(config));
  };
  const adminKubeconfig = await kubeconfig('admin', 'admin', 'system:masters');
  const managerKubeconfig = await kubeconfig('controller-manager', 'system:kube-controller-manager');
  const schedulerKubeconfig = await kubeconfig('scheduler', 'system:kube-scheduler');
  const serving = await issue('api-server', {
    commonName: 'kube-apiserver',
    hosts: ['127.0.0.1', 'localhost', 'kubernetes.default.svc', '10.96.0.1'],
    usages: ['server auth'],
  });
  const nodeClient = await issue('api-server-node-client', {
    commonName: 'kube-apiserver-kubelet-client',
    organizations: ['system:masters'],
    usages: ['client auth'],
  });
  const accounts = await issue('service-accounts', { commonName: 'service-accounts', usages: ['server auth'] });

  const frontProxy = await issue('front-proxy', { commonName: 'front-proxy', usages: ['client auth'] });

  const servers: ServerProcess[] = [];
  const pids = new Map<string, number>();
  const start = (name: string, ...args: readonly string[]): ServerProcess => {
    const started = startServer(join(FOLDER!, name), args, join(folder, `${name}.log`));
    servers.push(started);
    if (started.pid !== undefined) pids.set(name, started.pid);
    return started;
  };
  const kubectl: ControlPlane['kubectl'] = (args, input) =>
    run(join(FOLDER!, 'kubectl'), ['--kubeconfig', adminKubeconfig, '--cache-dir', join(folder, 'cache'), ...args], {
      timeoutMs: 120_000,
      ...(input !== undefined && { input }),
    });
  const isReady = async (): Promise<boolean> =>
    kubectl(['get', '--raw', '/readyz']).then(
      () => true,
      () => false,
    );

  let apiServer: ServerProcess | undefined;
  const startApiServer = async (): Promise<void> => {
    apiServer = start(
      'kube-apiserver',
      `--etcd-servers=${etcd}`,
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      `--secure-port=${String(apiPort)}`,
      `--tls-cert-file=${serving.certificate}`,
      `--tls-private-key-file=${serving.key}`,
      `--client-ca-file=${caPath}`,
      `--kubelet-client-certificate=${nodeClient.certificate}`,
      `--kubelet-client-key=${nodeClient.key}`,
      `--kubelet-certificate-authority=${caPath}`,
      '--kubelet-preferred-address-types=InternalIP',
      `--service-account-key-file=${accounts.certificate}`,
      `--service-account-signing-key-file=${accounts.key}`,
      '--service-account-issuer=https://kubernetes.default.svc',
      '--service-cluster-ip-range=10.96.0.0/16',
      '--authorization-mode=Node,RBAC',
      '--enable-admission-plugins=NodeRestriction',
      '--allow-privileged=true',
      // For aggregated APIs.
      `--requestheader-client-ca-file=${caPath}`,
      '--requestheader-allowed-names=front-proxy',
      '--requestheader-username-headers=X-Remote-User',
      '--requestheader-group-headers=X-Remote-Group',
      '--requestheader-extra-headers-prefix=X-Remote-Extra-',
      `--proxy-client-cert-file=${frontProxy.certificate}`,
      `--proxy-client-key-file=${frontProxy.key}`,
      '--shutdown-delay-duration=0s',
      ...apiServerFlags,
    );
    const { log } = apiServer;
    await eventually('the API server is ready', isReady, log, START_TIMEOUT_MS);
  };

  const stop = async (): Promise<void> => {
    for (const one of servers.reverse()) await one.end('SIGKILL');
  };
  try {
    start(
      'etcd',
      `--data-dir=${join(folder, 'etcd')}`,
      `--listen-client-urls=${etcd}`,
      `--advertise-client-urls=${etcd}`,
      `--listen-peer-urls=http://127.0.0.1:${String(peerPort)}`,
      '--unsafe-no-fsync',
    );
    await startApiServer();
    if (controllers) {
      start(
        'kube-controller-manager',
        `--kubeconfig=${managerKubeconfig}`,
        '--bind-address=127.0.0.1',
        `--secure-port=${String(managerPort)}`,
        `--service-account-private-key-file=${accounts.key}`,
        `--root-ca-file=${caPath}`,
        '--use-service-account-credentials=true',
        '--allocate-node-cidrs=false',
        '--leader-elect=false',
      );
      start(
        'kube-scheduler',
        `--kubeconfig=${schedulerKubeconfig}`,
        '--bind-address=127.0.0.1',
        `--secure-port=${String(schedulerPort)}`,
        '--leader-elect=false',
      );
      await eventually(
        'the default service account exists',
        () => kubectl(['get', 'serviceaccount', 'default', '--ignore-not-found', '-o', 'name']).then(Boolean),
        servers.at(-2)!.log,
        START_TIMEOUT_MS,
      );
    }
  } catch (error) {
    await stop();
    throw error;
  }

  return {
    folder,
    server,
    caPath,
    adminKubeconfig,
    nodeKubeconfig: (nodeName) => kubeconfig(nodeName, `system:node:${nodeName}`, 'system:nodes'),
    issue,
    kubectl,
    async apply(...items) {
      await kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    },
    async stopApiServer() {
      await apiServer?.end('SIGKILL');
    },
    startApiServer,
    pids: () => pids,
    [Symbol.asyncDispose]: stop,
  };
}

/** Returns ports of the loopback interface that nothing listens on. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  // All are taken before the first is released, so that they differ.
  for (const server of servers) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  for (const server of servers) await new Promise((resolve) => server.close(resolve));
  return ports;
}
