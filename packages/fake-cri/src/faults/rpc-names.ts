import { ImageServiceDescriptor, RuntimeServiceDescriptor, ServiceError, StatusCode } from '@rxlet/cri-api';
import type { RpcName } from '../rpc/port.ts';

/** RPCs of both services: method of the port → name in the CRI. */
const NAMES: ReadonlyMap<RpcName, string> = new Map(
  [...RuntimeServiceDescriptor.methods, ...ImageServiceDescriptor.methods].map(
    (method) => [method.localName as RpcName, method.name] as const,
  ),
);
const BY_NAME: ReadonlyMap<string, RpcName> = new Map(Array.from(NAMES, ([rpc, name]) => [name, rpc] as const));

/** Returns the name in the CRI of a method of the ports: `runPodSandbox` → `RunPodSandbox`. */
export function criNameOf(rpc: RpcName): string {
  return NAMES.get(rpc) ?? rpc;
}

/** Returns the port's method for an RPC, given by its name in the CRI or by that of the method. Throws InvalidArgument when there is none. */
export function parseRpcName(name: string): RpcName {
  const rpc = BY_NAME.get(name) ?? name;
  if (!NAMES.has(rpc as RpcName))
    throw new ServiceError(StatusCode.InvalidArgument, `the CRI has no RPC "${String(name)}"`);
  return rpc as RpcName;
}
