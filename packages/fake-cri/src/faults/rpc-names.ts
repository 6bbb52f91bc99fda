import { ImageServiceDescriptor, RuntimeServiceDescriptor, ServiceError, StatusCode } from '@rxlet/cri-api';
import type { RpcName } from '../rpc/port.ts';

/** The RPCs of both services: their method of the port → their name in the CRI. */
const NAMES: ReadonlyMap<RpcName, string> = new Map(
  [...RuntimeServiceDescriptor.methods, ...ImageServiceDescriptor.methods].map(
    (method) => [method.localName as RpcName, method.name] as const,
  ),
);
const BY_NAME: ReadonlyMap<string, RpcName> = new Map(Array.from(NAMES, ([rpc, name]) => [name, rpc] as const));

/** What the CRI calls a method of the ports: `runPodSandbox` → `RunPodSandbox`. */
export function criNameOf(rpc: RpcName): string {
  return NAMES.get(rpc) ?? rpc;
}

/** The method of an RPC by its name in the CRI; that of the method does as well. Throws InvalidArgument when there is none. */
export function parseRpcName(name: string): RpcName {
  const rpc = BY_NAME.get(name) ?? name;
  if (!NAMES.has(rpc as RpcName)) throw new ServiceError(StatusCode.InvalidArgument, `the CRI has no RPC "${name}"`);
  return rpc as RpcName;
}
