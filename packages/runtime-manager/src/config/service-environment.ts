import type { Service } from '@rxlet/kube-api';

/**
 * Returns the environment variables that point to services, name → value: those of the service `kubernetes` in namespace `default`, and with `serviceLinks`
 * those of the pod's namespace, which win over it. Services without a cluster IP have none.
 */
export function serviceEnvironment(
  services: readonly Service[],
  namespace: string,
  serviceLinks: boolean,
): ReadonlyMap<string, string> {
  const byName = new Map<string, Service>();
  for (const service of services) {
    const { name = '', namespace: itsNamespace = '' } = service.metadata ?? {};
    if (!hasClusterIp(service)) continue;
    if (itsNamespace === 'default' && name === 'kubernetes') {
      if (!byName.has(name)) byName.set(name, service);
    } else if (itsNamespace === namespace && serviceLinks) {
      byName.set(name, service);
    }
  }
  return new Map([...byName].flatMap(([name, service]) => variablesOf(variableName(name), service)));
}

function hasClusterIp({ spec }: Service): boolean {
  return spec?.clusterIP !== undefined && spec.clusterIP !== '' && spec.clusterIP !== 'None';
}

/** Returns the variables of Kubernetes' own form, then those of Docker's links. */
function variablesOf(prefix: string, { spec }: Service): [string, string][] {
  const ip = spec?.clusterIP ?? '';
  const ports = spec?.ports ?? [];
  const [first] = ports;
  if (first === undefined) return [[`${prefix}_SERVICE_HOST`, ip]];
  const named = ports
    .filter(({ name }) => name !== undefined && name !== '')
    .map(({ name = '', port }): [string, string] => [`${prefix}_SERVICE_PORT_${variableName(name)}`, String(port)]);
  const links = ports.flatMap(({ port, protocol }, index): [string, string][] => {
    const upper = (protocol || 'TCP').toUpperCase();
    const lower = (protocol || 'TCP').toLowerCase();
    const url = `${lower}://${ip.includes(':') ? `[${ip}]` : ip}:${String(port)}`;
    const link = `${prefix}_PORT_${String(port)}_${upper}`;
    return [
      ...(index === 0 ? ([[`${prefix}_PORT`, url]] satisfies [string, string][]) : []),
      [link, url],
      [`${link}_PROTO`, lower],
      [`${link}_PORT`, String(port)],
      [`${link}_ADDR`, ip],
    ];
  });
  return [[`${prefix}_SERVICE_HOST`, ip], [`${prefix}_SERVICE_PORT`, String(first.port)], ...named, ...links];
}

function variableName(name: string): string {
  return name.replaceAll('-', '_').toUpperCase();
}
