import { isIPv4 } from 'node:net';
import { hostname } from 'node:os';
import { errorMessage } from '@rxlet/component-base';
import { KubeletConfigurationError } from '@rxlet/kubelet-config';
import { createHostMachine } from '@rxlet/machine';
import { createHostFiles, type HostFiles } from '@rxlet/node-files';
import { nodeIpProblem } from '@rxlet/node-status';
import { type NodeFacts, readNodeFacts } from './node-facts.ts';
import { readSubordinateIds, type SubordinateIds } from './subordinate-ids.ts';

/** Facts of the machine that a kubelet's configuration is completed with. */
export interface KubeletNode {
  readonly facts: NodeFacts;
  /** Files that the configuration refers to. */
  readonly hostFiles: HostFiles;
  /** Default of `--hostname-override`. */
  readonly hostname: string;
  /** Default of `--node-ip`. */
  readonly address: string;
  /** Address of `--node-ip=::`. Default: that without the flag. */
  readonly addressV6?: string | undefined;
  /** Directories in which docker configs are searched. */
  readonly workingDirectory?: string | undefined;
  readonly homeDirectory?: string | undefined;
  /** Ids that are set aside for user namespaces of pods. Default: all from 65536 on. */
  readonly subordinateIds?: SubordinateIds | undefined;
}

/**
 * Reads the facts of this machine. Name and address come from the kernel, never from a name server. The address is that of the interface with the default
 * route; without one, the first that is up and not loopback, IPv4 preferred.
 *
 * @throws KubeletConfigurationError when the ids for user namespaces cannot be used
 */
export async function readKubeletNode(files: HostFiles = createHostFiles()): Promise<KubeletNode> {
  return {
    facts: await readNodeFacts(files),
    hostFiles: files,
    hostname: hostname(),
    ...(await nodeAddresses(files)),
    workingDirectory: process.cwd(),
    homeDirectory: process.env['HOME'],
    subordinateIds: await subordinateIds(files),
  };
}

async function subordinateIds(files: HostFiles): Promise<SubordinateIds | undefined> {
  try {
    return await readSubordinateIds(files);
  } catch (error) {
    const message = `kubelet mappings: ${errorMessage(error)}`;
    throw new KubeletConfigurationError('start', [message], { cause: error });
  }
}

async function nodeAddresses(files: HostFiles): Promise<Pick<KubeletNode, 'address' | 'addressV6'>> {
  const { hostIps, defaultRouteIps } = await createHostMachine(files).addresses();
  const outside = hostIps.filter((ip) => nodeIpProblem(ip, hostIps) === undefined);
  const { v4, v6 } = defaultRouteIps;
  return {
    address: v4 ?? v6 ?? outside.find(isIPv4) ?? outside[0] ?? '127.0.0.1',
    addressV6: v6 ?? outside.find((ip) => !isIPv4(ip)),
  };
}
