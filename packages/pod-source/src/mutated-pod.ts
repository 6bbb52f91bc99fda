import type { Random } from '@rxlet/component-base';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
/** A list or mapping with the key of one of its values. */
type Place = readonly [holder: { [key: string]: Json }, key: string];

const probe = { httpGet: { path: '/healthz', port: 8080, scheme: 'HTTPS' }, periodSeconds: 5, failureThreshold: 3 };
/** A pod with fields of most kinds. */
const pod: Json = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'web',
    namespace: 'default',
    labels: { app: 'web', 'example.com/tier': '1' },
    annotations: { note: 'text' },
    managedFields: [{ manager: 'kubectl', operation: 'Apply', fieldsV1: { 'f:spec': {} } }],
  },
  spec: {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    activeDeadlineSeconds: 600,
    dnsPolicy: 'ClusterFirst',
    dnsConfig: { nameservers: ['192.0.2.1'], searches: ['example.com'], options: [{ name: 'ndots', value: '2' }] },
    hostAliases: [{ ip: '192.0.2.2', hostnames: ['db'] }],
    hostname: 'web',
    nodeSelector: { disk: 'ssd' },
    priority: 1000,
    os: { name: 'linux' },
    overhead: { cpu: '10m' },
    resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { memory: '2Gi' } },
    securityContext: {
      runAsUser: 1000,
      fsGroup: 2000,
      fsGroupChangePolicy: 'OnRootMismatch',
      supplementalGroups: [1, 2],
      sysctls: [{ name: 'net.ipv4.tcp_syncookies', value: '1' }],
      seccompProfile: { type: 'Localhost', localhostProfile: 'a.json' },
      appArmorProfile: { type: 'RuntimeDefault' },
    },
    tolerations: [{ key: 'a', operator: 'Equal', value: 'b', effect: 'NoExecute', tolerationSeconds: 5 }],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'cores', operator: 'Gt', values: ['4'] }] }],
        },
      },
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 5,
            podAffinityTerm: { topologyKey: 'zone', labelSelector: { matchLabels: { app: 'web' } } },
          },
        ],
      },
    },
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} },
    ],
    initContainers: [{ name: 'side', image: 'app:1', restartPolicy: 'Always', startupProbe: probe }],
    containers: [
      {
        name: 'main',
        image: 'app:1',
        command: ['serve', '$(PORT)'],
        ports: [{ name: 'http', containerPort: 8080, hostPort: 80, hostIP: '0.0.0.0', protocol: 'TCP' }],
        env: [
          { name: 'PORT', value: '8080' },
          { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
          { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1m' } } },
        ],
        resources: { requests: { cpu: '100m', 'example.com/gpu': '1' }, limits: { cpu: '1', 'example.com/gpu': '1' } },
        resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }],
        livenessProbe: { ...probe, terminationGracePeriodSeconds: 5 },
        readinessProbe: { grpc: { port: 9000, service: 'a' } },
        lifecycle: { preStop: { sleep: { seconds: 5 } }, postStart: { exec: { command: ['true'] } } },
        securityContext: {
          capabilities: { add: ['NET_ADMIN'], drop: ['ALL'] },
          privileged: false,
          procMount: 'Default',
        },
        volumeMounts: [
          { name: 'data', mountPath: '/data', subPath: 'a/b' },
          { name: 'host', mountPath: '/host', readOnly: true, mountPropagation: 'HostToContainer' },
        ],
      },
    ],
    volumes: [
      { name: 'data', emptyDir: { medium: 'Memory', sizeLimit: '1Gi' } },
      { name: 'host', hostPath: { path: '/var/log', type: 'Directory' } },
      {
        name: 'info',
        projected: {
          defaultMode: 420,
          sources: [{ downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } }],
        },
      },
    ],
  },
};

const values: readonly Json[] = [
  ...[null, true, false, 0, -1, 1.5, 65536, 2 ** 31, 2 ** 53, 1e308, -0],
  ...['', ' ', 'a', 'A_b', '-', '..', '/', '../../etc', '/a:b', 'a\u0000b', '\ud800', 'x'.repeat(64), 'x'.repeat(300)],
  ...['100m', '1Ei', '-1Gi', '1e-30', '9'.repeat(40), '0x5', '1.2.3.4', '::1', '2026-01-01T00:00:00Z', '$(A)$(B'],
  ...['Always', 'Never', 'TCP', 'Localhost', 'NoExecute', 'Exists', 'Directory', 'windows'],
  [],
  {},
  [null],
  [[]],
  [''],
  { a: { b: {} } },
  { '': '' },
  { 'a/b/c': 'd' },
  JSON.parse('{"__proto__": {"a": 1}}') as Json,
];

/** Returns a pod as JSON or YAML with one to three of its values removed, repeated, replaced, renamed or moved. */
export function mutatedPod(random: Random): string {
  const below = (limit: number): number => Math.floor(random.next() * limit);
  const pick = <T>(items: readonly T[]): T => items[below(items.length)]!;
  const mutated = structuredClone(pod);
  for (let changes = 1 + below(3); changes > 0; changes -= 1) {
    const places = placesIn(mutated);
    if (places.length === 0) break;
    const [holder, key] = pick(places);
    const [otherHolder, otherKey] = pick(places);
    switch (below(6)) {
      case 0:
        if (Array.isArray(holder)) holder.splice(Number(key), 1);
        else delete holder[key];
        break;
      case 1:
        holder[key] = structuredClone(pick(values));
        break;
      case 2:
        holder[key] = [holder[key]!, structuredClone(holder[key]!)];
        break;
      case 3:
        holder[key] = structuredClone(otherHolder[otherKey]!);
        break;
      case 4:
        if (!Array.isArray(holder)) holder[otherKey] = structuredClone(holder[key]!);
        break;
      default:
        if (Array.isArray(holder)) holder.push(structuredClone(holder[key]!));
        else holder[key] = { [otherKey]: holder[key]! };
    }
  }
  const text = JSON.stringify(mutated);
  // A text that does not begin with a brace is read as YAML, of which JSON is a part.
  return random.next() < 0.5 ? text : `# YAML\n${text}\n`;
}

function placesIn(value: Json): readonly Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as { [key: string]: Json };
  return Object.keys(holder).flatMap((key): readonly Place[] => [[holder, key], ...placesIn(holder[key]!)]);
}
