import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createConsumer } from './consumer-project.ts';
import { installedSize, type SizeLimit, sizeProblems } from './installed-size.ts';
import type { Tarball } from './pack.ts';
import { runCommand } from './run-command.ts';

/** Servers, clients and cryptography that the core of an agent must not bring. */
const HEAVY = ['@connectrpc/connect', '@grpc/grpc-js', '@peculiar/x509', 'asn1js', 'undici', 'ws', 'yaml'];

/** An installation whose size is watched. */
interface Installation {
  /** Packages that a user installs. */
  readonly names: readonly string[];
  readonly limit?: SizeLimit;
  /** A program that must run with these packages alone. */
  readonly program?: string;
}

/** An agent with two modules of its user: the core without any module of this repository. */
const OWN_AGENT = `
import { mkdtempDisposable } from 'node:fs/promises';
import { createAgent } from '@rxlet/agent';
import { admissionHandlers, contribute, podSteps } from '@rxlet/agent-api';

const never = new Proxy({}, { get: (_, name) => () => { throw new Error('called ' + String(name)); } });
const oddPods = {
  name: 'odd-pods',
  setup: () => ({ contributions: [contribute(admissionHandlers, { name: 'odd-pods', admit: () => undefined })] }),
};
const marks = {
  name: 'marks',
  setup: () => ({ contributions: [contribute(podSteps, { name: 'marks', prepare: async () => undefined })] }),
};
await using folder = await mkdtempDisposable('/tmp/own-agent-');
const node = { rootDirectory: folder.path, podLogsDirectory: folder.path + '/logs', memoryCapacityBytes: 1n << 30n };
await using agent = await createAgent({ runtime: never, images: never, node }, [oddPods, marks]);
if (agent.pods.list().length !== 0) throw new Error('there are pods');
`;

const INSTALLATIONS: readonly Installation[] = [
  {
    names: ['@rxlet/agent', '@rxlet/agent-api'],
    limit: { packages: 15, megabytes: 25, without: HEAVY },
    program: OWN_AGENT,
  },
  { names: ['@rxlet/pleg'], limit: { packages: 9, megabytes: 20, without: HEAVY } },
  { names: ['@rxlet/cri-client'] },
  { names: ['@rxlet/testing'] },
  { names: ['@rxlet/kubelet'] },
];

/** Installs what users start with into empty projects, prints the sizes, and returns how they exceed their limits. */
export async function installationProblems(
  folder: string,
  tarballs: readonly Tarball[],
  print: (line: string) => void,
): Promise<string[]> {
  const problems: string[] = [];
  for (const { names, limit, program } of INSTALLATIONS) {
    const project = join(folder, 'sizes', names[0]!);
    const installed = tarballs.filter(({ manifest }) => names.includes(manifest.name));
    await createConsumer(project, installed, tarballs, { optionalPeers: false });
    const size = installedSize(project);
    print(`${names.join(' and ')}: ${String(size.packages.length)} packages, ${size.megabytes.toFixed(1)} MB`);
    if (limit !== undefined) problems.push(...sizeProblems(size, limit).map((each) => `${names[0]!}: ${each}`));
    if (program !== undefined) {
      await writeFile(join(project, 'program.js'), program);
      await runCommand('node', ['program.js'], project);
    }
  }
  return problems;
}
