import { isIP } from 'node:net';
import type { Mutable, Node, NodeAddress } from '@rxlet/kube-api';
import { canonicalIp } from '@rxlet/pod-model';
import { isUnspecifiedIp, nodeIpProblem } from '../node-ips.ts';
import type { HostAddresses, NodeSettings } from '../node-status-inputs.ts';

/** Annotation by which a node asks its cloud provider for an address. */
const PROVIDED_NODE_IP = 'alpha.kubernetes.io/provided-node-ip';

/**
 * Sets `status.addresses`: the address of `--node-ip`, otherwise the hostname if it is an address, otherwise that of the node's name, otherwise that of the default
 * route. An external cloud provider owns them once they are set. Without a usable address they stay as they are.
 *
 * @throws Error that names the problem, in the words of the kubelet
 */
export function setNodeAddresses(node: Mutable<Node>, settings: NodeSettings, host: HostAddresses): void {
  const { name, hostname = name, nodeIps = [], externalCloudProvider = false } = settings;
  const [nodeIp, secondaryIp] = nodeIps;
  const isGiven = nodeIp !== undefined && !isUnspecifiedIp(nodeIp);
  if (isGiven) requireUsable('nodeIP', nodeIp, host);
  if (secondaryIp !== undefined) requireUsable('secondaryNodeIP', secondaryIp, host);
  const metadata = (node.metadata ??= {});
  const status = (node.status ??= {});
  const hostnameAddress: NodeAddress = { type: 'Hostname', address: hostname };

  if (externalCloudProvider && isGiven)
    metadata.annotations = { ...metadata.annotations, [PROVIDED_NODE_IP]: nodeIps.join(',') };
  else delete metadata.annotations?.[PROVIDED_NODE_IP];
  if (externalCloudProvider) {
    if ((status.addresses ?? []).length > 0) return;
    if (nodeIp === undefined) {
      status.addresses = [hostnameAddress];
      return;
    }
  }
  const ips = secondaryIp === undefined ? [isGiven ? nodeIp : findAddress(settings, host)] : nodeIps;
  status.addresses = [...ips.map((address) => ({ type: 'InternalIP', address })), hostnameAddress];
}

function requireUsable(what: string, ip: string, { hostIps }: HostAddresses): void {
  const problem = nodeIpProblem(ip, hostIps);
  if (problem !== undefined) throw new Error(`failed to validate ${what}: ${problem}`);
}

function findAddress({ name, hostname = name, nodeIps = [] }: NodeSettings, host: HostAddresses): string {
  const ofHostname = canonicalIp(hostname);
  if (ofHostname !== undefined) return ofHostname;
  const family = isIP(nodeIps[0] ?? '') === 6 ? 6 : 4;
  const usable = host.nameIps.filter((ip) => nodeIpProblem(ip, host.hostIps) === undefined);
  const { v4, v6 } = host.defaultRouteIps;
  const found = usable.find((ip) => isIP(ip) === family) ?? usable[0] ?? (family === 6 ? (v6 ?? v4) : (v4 ?? v6));
  if (found === undefined) throw new Error(`can't get ip address of node ${name}. error: no default routes found`);
  return found;
}
