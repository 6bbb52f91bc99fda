import type { Random } from '@rxlet/component-base';
import { mutatedPod } from './mutated-pod.ts';

const yaml = `apiVersion: v1
kind: Pod
metadata:
  name: web
  labels: {app: web, tier: "1"}
  annotations:
    note: >-
      folded
      text
spec:
  terminationGracePeriodSeconds: 5
  initContainers:
    - name: sidecar
      image: app:1
      restartPolicy: Always
  containers:
    - &main
      name: main
      image: 'app:1'
      command: [sh, -c, "echo \\"a\\"; sleep 1"]
      ports: [{containerPort: 80, protocol: TCP}]
      env:
        - name: POD_NAME
          valueFrom: {fieldRef: {fieldPath: metadata.name}}
        - name: SCRIPT
          value: |
            one
            two
      resources: {requests: {cpu: 100m, memory: 64Mi}, limits: {memory: 128Mi}}
      livenessProbe: {httpGet: {path: /healthz, port: http}, periodSeconds: 0x5}
      securityContext: {runAsUser: 1000, capabilities: {drop: [ALL]}}
      volumeMounts: [{name: data, mountPath: /data}]
    - <<: *main
      name: copy
  volumes:
    - name: data
      emptyDir: {sizeLimit: 1Gi}
    - name: host
      hostPath: {path: /var/log, type: Directory}
`;
const json = JSON.stringify({
  apiVersion: 'v1',
  kind: 'PodList',
  items: [{ metadata: { name: 'web' }, spec: { hostNetwork: true, containers: [{ name: 'c', image: 'app:1' }] } }],
});

/** Texts that are hard on a parser, a decoder or a validation. */
const fragments: readonly string[] = [
  ...[
    '*main',
    '&main ',
    '<<: *main',
    '!!binary x',
    '!!set {a}',
    '!!omap [a: b]',
    '!<x> ',
    '&x {a: *x}',
    '*x',
    '%YAML 9.9\n',
    '---\n',
    '...\n',
  ],
  ...[
    '|',
    '>+9\n',
    '? ',
    ': ',
    '- ',
    '\t',
    '[',
    ']',
    '{',
    '}',
    '"',
    "'",
    '#',
    ',',
    '\r',
    '\u0000',
    '\u0085',
    '\ufeff',
    '\ud800',
  ],
  ...[
    '.inf',
    '.nan',
    '-.inf',
    '0o7',
    '0b1',
    '1e999',
    '9223372036854775808',
    '-1',
    '1_0',
    '22:22',
    '2001-01-01',
    '~',
    'yes',
  ],
  ...['null', '[]', '{}', '""', '[[[]]]', '{a: {b: {c: 1}}}', '__proto__: {a: 1}', 'constructor: x', 'toString: 1'],
  ...[
    '"__proto__": null,',
    '[1, [2, [3]]]: x',
    '? [a]\n: b',
    '{? a}',
    'x'.repeat(5000),
    '$(A)$(B',
    '../../etc',
    '1Ei',
    '1e-9m',
  ],
];

/** Returns a manifest with one to six random changes, of its text or of its values. */
export function mutatedManifest(random: Random): string {
  const below = (limit: number): number => Math.floor(random.next() * limit);
  const pick = <T>(items: readonly T[]): T => items[below(items.length)]!;
  if (random.next() < 0.5) return mutatedPod(random);
  let text = random.next() < 0.8 ? yaml : json;
  for (let changes = 1 + below(6); changes > 0; changes -= 1) text = pick(mutations)(text, below, pick);
  return text;
}

type Mutation = (text: string, below: (limit: number) => number, pick: <T>(items: readonly T[]) => T) => string;

const inLines =
  (change: (lines: string[], index: number, below: (limit: number) => number) => void): Mutation =>
  (text, below) => {
    const lines = text.split('\n');
    change(lines, below(lines.length), below);
    return lines.join('\n');
  };

const mutations: readonly Mutation[] = [
  inLines((lines, index) => lines.splice(index, 1)),
  inLines((lines, index, below) => lines.splice(below(lines.length), 0, lines[index]!)),
  inLines((lines, index) => (lines[index] = `  ${lines[index]!}`)),
  inLines((lines, index) => (lines[index] = lines[index]!.slice(1))),
  (text, below) => text.slice(0, below(text.length)),
  (text, below) => {
    const at = below(text.length);
    return text.slice(0, at) + String.fromCodePoint(below(0x180)) + text.slice(at + 1);
  },
  (text, below, pick) => {
    const at = below(text.length);
    return text.slice(0, at) + pick(fragments) + text.slice(at);
  },
  // The value of a field.
  (text, below, pick) => {
    const values = [...text.matchAll(/(?<=: ?)[^\s,{}[\]:][^,\n{}[\]]*/g)];
    const value = values[below(values.length)];
    if (value === undefined) return text;
    return text.slice(0, value.index) + pick(fragments) + text.slice(value.index + value[0].length);
  },
  // The name of a field.
  (text, below, pick) => {
    const names = [...text.matchAll(/\w+(?=:)/g)];
    const name = names[below(names.length)];
    if (name === undefined) return text;
    return text.slice(0, name.index) + pick(names)[0] + text.slice(name.index + name[0].length);
  },
];
