import { isJsonObject, type JsonObject, stringOf } from './json.ts';

/** An address that a network assigned. */
export interface CniAddress {
  /** Address without the length of its prefix. */
  readonly ip: string;
  /** Address with the length of its prefix: `10.88.0.2/16`. */
  readonly cidr: string;
  /** Index into {@link CniResult.interfaces}; `undefined` when it belongs to none. */
  readonly interfaceIndex: number | undefined;
  readonly gateway: string | undefined;
}

/** An interface that a network created. */
export interface CniInterface {
  readonly name: string;
  readonly mac: string | undefined;
  /** Path of the network namespace; `undefined` for an interface of the host. */
  readonly sandbox: string | undefined;
}

/** Result of ADD, whatever the version of the configuration. */
export interface CniResult {
  readonly addresses: readonly CniAddress[];
  readonly interfaces: readonly CniInterface[];
  /** The plugins' own answer, which later commands pass back to them. */
  readonly raw: JsonObject;
}

/** Reads a result of any version of the specification. Unknown fields are ignored. */
export function parseResult(raw: JsonObject): CniResult {
  return { addresses: [...addressesOf(raw)], interfaces: interfacesOf(raw), raw };
}

/** Returns the addresses of the interfaces inside the sandbox, in the order of the result; all addresses when no interface has one. */
export function sandboxAddresses({ addresses, interfaces }: CniResult): readonly string[] {
  const isInside = ({ interfaceIndex }: CniAddress): boolean =>
    interfaceIndex === undefined || (interfaces[interfaceIndex]?.sandbox ?? '') !== '';
  const inside = addresses.filter(isInside);
  return (inside.length > 0 ? inside : addresses).map(({ ip }) => ip);
}

function* addressesOf(raw: JsonObject): Generator<CniAddress> {
  const { ips } = raw;
  for (const entry of Array.isArray(ips) ? ips : []) {
    const cidr = isJsonObject(entry) ? stringOf(entry['address']) : undefined;
    if (!isJsonObject(entry) || cidr === undefined) continue;
    const index = entry['interface'];
    yield address(cidr, stringOf(entry['gateway']), typeof index === 'number' ? index : undefined);
  }
  // Versions before 0.3.0 have one address of each family.
  for (const family of [raw['ip4'], raw['ip6']]) {
    const cidr = isJsonObject(family) ? stringOf(family['ip']) : undefined;
    if (isJsonObject(family) && cidr !== undefined) yield address(cidr, stringOf(family['gateway']), undefined);
  }
}

function address(cidr: string, gateway: string | undefined, interfaceIndex: number | undefined): CniAddress {
  return { ip: cidr.split('/', 1)[0]!, cidr, interfaceIndex, gateway };
}

function interfacesOf({ interfaces }: JsonObject): readonly CniInterface[] {
  return (Array.isArray(interfaces) ? interfaces : []).map((entry) => {
    const fields: JsonObject = isJsonObject(entry) ? entry : {};
    return {
      name: stringOf(fields['name']) ?? '',
      mac: stringOf(fields['mac']),
      sandbox: stringOf(fields['sandbox']) || undefined,
    };
  });
}
