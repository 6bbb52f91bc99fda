import { describe, expect, it } from 'vitest';
import { decodeManifest } from './decode-manifest.ts';
import { ManifestError } from './manifest-error.ts';

const options = { nodeName: 'node1', origin: { file: '/m/a.yaml' } };

async function errorOf(text: string): Promise<ManifestError> {
  try {
    await decodeManifest(text, options);
  } catch (error) {
    if (error instanceof ManifestError) return error;
    throw error;
  }
  throw new Error('it was accepted');
}

/** Returns a pod whose spec begins with a container `c` and continues as given. */
const pod = (more: string): string =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers:\n  - name: c\n    image: b\n${more}`;

describe('decodeManifest', async () => {
  it.each([
    ['- a', 'holds a list; expected a Pod (apiVersion: v1, kind: Pod)'],
    ['just words', 'holds a string; expected a Pod (apiVersion: v1, kind: Pod)'],
    ['null', 'holds nothing; expected a Pod (apiVersion: v1, kind: Pod)'],
    ['a: 1', 'has no kind; expected a Pod (apiVersion: v1, kind: Pod)'],
    ['kind: Pod', 'holds a Pod without apiVersion; expected a v1 Pod, so set apiVersion: v1'],
    ['apiVersion: v2\nkind: Pod', 'holds a v2 Pod; expected a v1 Pod, so set apiVersion: v1'],
    [
      'apiVersion: v1\nkind: PodList',
      'holds a v1 PodList; expected a v1 Pod: put each of its pods into a file of its own',
    ],
    ['apiVersion: v1\nkind: List', 'holds a v1 List; expected a v1 Pod: put each of its pods into a file of its own'],
    [
      'apiVersion: apps/v1\nkind: DaemonSet',
      'holds a apps/v1 DaemonSet; expected a v1 Pod: a node runs single pods, so make a Pod of the template of the DaemonSet, or create it through an API server',
    ],
    [
      'apiVersion: v1\nkind: "Config\\nMap"',
      'holds a v1 Config Map; expected a v1 Pod: other objects need an API server',
    ],
    ['apiVersion: v1\nkind: ConfigMap', 'holds a v1 ConfigMap; expected a v1 Pod: other objects need an API server'],
  ])('reports what %j is instead of a pod', async (text, message) => {
    const error = await errorOf(text);
    expect(error.reason).toBe('NotAPod');
    expect(error.message).toBe(`/m/a.yaml: ${message}`);
  });

  it('names each field of a wrong type, what is expected and what is there', async () => {
    const error = await errorOf(`apiVersion: v1
kind: Pod
metadata: {name: 7, labels: {on: yes}, creationTimestamp: yesterday}
spec:
  hostNetwork: "true"
  terminationGracePeriodSeconds: 1.5
  containers:
  - name: c
    image: [b]
    ports: [{containerPort: "80"}, {containerPort: 3000000000}]
    env: {A: b}
    resources: {limits: {cpu: 1 core, memory: true}}
`);
    expect(error.reason).toBe('WrongFieldType');
    expect(error.problems.map(({ field, message }) => `${field}: ${message}`)).toEqual([
      'metadata.name: expected a string, found the number 7 (put it in quotes)',
      'metadata.labels[true]: expected a string, found the boolean true (put it in quotes; y, n, yes, no, on and off are booleans in YAML)',
      'metadata.creationTimestamp: expected an RFC 3339 date and time, found the string "yesterday"',
      'spec.hostNetwork: expected true or false, found the string "true" (write it without quotes)',
      'spec.terminationGracePeriodSeconds: expected an integer, found the number 1.5',
      'spec.containers[0].image: expected a string, found a list',
      'spec.containers[0].ports[0].containerPort: expected an integer, found the string "80" (write it without quotes)',
      'spec.containers[0].ports[1].containerPort: expected an integer from -2147483648 to 2147483647, found the number 3000000000',
      'spec.containers[0].env: expected a list, found a mapping',
      'spec.containers[0].resources.limits[cpu]: expected a quantity such as 100m or 64Mi, found the string "1 core"',
      'spec.containers[0].resources.limits[memory]: expected a quantity, found the boolean true',
    ]);
    expect(error.message).toBe(
      `/m/a.yaml: not a valid pod: ${error.problems.map(({ field, message }) => `${field}: ${message}`).join('; ')}`,
    );
  });

  it('reports all invalid fields in one line of limited length', async () => {
    const containers = Array.from({ length: 30 }, () => '  - name: Bad\n').join('');
    const error = await errorOf(
      `apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers:\n${containers}`,
    );
    expect(error.reason).toBe('InvalidPod');
    expect(error.problems.length).toBe(89);
    expect(error.message).toMatch(/^\/m\/a\.yaml: invalid pod: spec\.containers\[0\]\.name: .*; and 69 more$/);
    expect(error.message).not.toContain('\n');
  });

  it.each([
    ['a kind', 'apiVersion: v1\nkind: KIND'],
    ['an API version', 'apiVersion: KIND\nkind: Pod'],
    ['an alias', 'a: *KIND'],
    ['a tag', 'a: !KIND ['],
    ['a value of JSON', '{"a": KIND}'],
  ])('does not repeat %s of any length in its message', async (_, text) => {
    expect((await errorOf(text.replace('KIND', 'K'.repeat(100_000)))).message.length).toBeLessThan(500);
  });

  it('rejects a pod without a name', async () => {
    const error = await errorOf('apiVersion: v1\nkind: Pod\nspec: {containers: [{name: c, image: b}]}');
    expect(error.message).toBe('/m/a.yaml: invalid pod: name is needed for the pod; set metadata.name');
    expect(error.problems.map(({ field }) => field)).toEqual(['metadata.name']);
  });

  it('rejects references to objects of an API server', async () => {
    const error = await errorOf(pod('    envFrom: [{secretRef: {name: s}}]'));
    expect(error.reason).toBe('ReferencesApiObjects');
    expect(error.message).toBe(
      '/m/a.yaml: static pods may not reference secrets; remove the reference, or create the pod through an API server',
    );
  });

  it('ignores fields that a pod does not have, and reports which', async () => {
    const { pod: decoded, warnings } = await decodeManifest(
      pod('    imge: x\n  restart: Always\n  hostNetwork: true\n'),
      options,
    );
    expect(warnings).toEqual(['fields that a Pod does not have are ignored: spec.containers[0].imge, spec.restart']);
    expect(decoded.spec?.hostNetwork).toBe(true);
    expect(decoded.spec).not.toHaveProperty('restart');
  });

  it('takes null, empty and false for no value, where Kubernetes does', async () => {
    // Without a UID, both would get one of the manifest as it is written.
    const withUid = (more: string): string => pod(more).replace('name: web', 'name: web, uid: u');
    const { pod: plain } = await decodeManifest(withUid(''), options);
    const { pod: padded } = await decodeManifest(
      withUid(
        '    command: null\n    tty: false\n    ports: []\n  hostNetwork: false\n  nodeSelector: {}\n  subdomain: ""\n',
      ),
      options,
    );
    expect(padded).toEqual(plain);
    const { pod: said } = await decodeManifest(
      pod('  enableServiceLinks: false\n  terminationGracePeriodSeconds: 0\n'),
      options,
    );
    expect(said.spec).toMatchObject({ enableServiceLinks: false, terminationGracePeriodSeconds: 0 });
  });

  it('does not take names from the prototype for fields', async () => {
    const { pod: decoded, warnings } = await decodeManifest(
      '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","labels":{"constructor":"y"}},"toString":1,"__proto__":{"a":1},"spec":{"containers":[{"name":"c","image":"b"}]}}',
      options,
    );
    expect(warnings[0]).toContain('toString');
    expect(Object.getPrototypeOf(decoded)).toBe(Object.prototype);
    expect(decoded.metadata?.labels).toEqual({ constructor: 'y' });
  });

  it('gives the same UID whatever the notation, and another for another content, file or node', async () => {
    const uid = async (text: string, file = '/m/a.yaml', nodeName = 'node1'): Promise<string> =>
      (await decodeManifest(text, { nodeName, origin: { file } })).pod.metadata!.uid!;
    const yaml = await uid(pod(''));
    const json =
      '{"spec":{"containers":[{"image":"b","name":"c"}]},"metadata":{"name":"web"},"kind":"Pod","apiVersion":"v1"}';
    expect(await uid(json)).toBe(yaml);
    const others = [uid(pod('    tty: true\n')), uid(pod(''), '/m/b.yaml'), uid(pod(''), '/m/a.yaml', 'node2')];
    expect(new Set([yaml, ...(await Promise.all(others))]).size).toBe(4);
  });
});
