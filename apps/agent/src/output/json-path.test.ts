import { describe, expect, it } from 'vitest';
import { parseFieldPath, parseJsonPath } from './json-path.ts';

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', labels: { app: 'shop', 'a.b/c': 'dotted' }, annotations: { 'kubernetes.io/x': 'y' } },
  spec: {
    containers: [
      { name: 'main', image: 'busybox', ports: [{ containerPort: 80 }, { containerPort: 8080 }] },
      { name: 'side', image: 'envoy' },
    ],
    hostNetwork: true,
  },
  status: {},
};

/** Object and templates of kubectl's documentation of JSONPath. */
const documented = {
  kind: 'List',
  items: [
    {
      kind: 'None',
      metadata: { name: '127.0.0.1', labels: { 'kubernetes.io/hostname': '127.0.0.1' } },
      status: { capacity: { cpu: '4' }, addresses: [{ type: 'LegacyHostIP', address: '127.0.0.1' }] },
    },
    {
      kind: 'None',
      metadata: { name: '127.0.0.2' },
      status: {
        capacity: { cpu: '8' },
        addresses: [
          { type: 'LegacyHostIP', address: '127.0.0.2' },
          { type: 'another', address: '127.0.0.3' },
        ],
      },
    },
  ],
  users: [
    { name: 'myself', user: {} },
    { name: 'e2e', user: { username: 'admin', password: 'secret' } },
  ],
};

describe('parseJsonPath', () => {
  it.each<[template: string, printed: string]>([
    ['kind is {.kind}', 'kind is List'],
    ['the object is {@.kind}', 'the object is List'],
    ["{['kind']}", 'List'],
    ["{.users[0]['name','user']}", 'myself {}'],
    ['{..name}', '127.0.0.1 127.0.0.2 myself e2e'],
    ['{.items[*].metadata.name}', '127.0.0.1 127.0.0.2'],
    ['{.users[0].name}', 'myself'],
    ["{.items[*]['metadata.name', 'status.capacity']}", '127.0.0.1 127.0.0.2 {"cpu":"4"} {"cpu":"8"}'],
    ['{.items[*].status.capacity}', '{"cpu":"4"} {"cpu":"8"}'],
    ['{.users[?(@.name=="e2e")].user.password}', 'secret'],
    [
      String.raw`{range .items[*]}[{.metadata.name}, {.status.capacity}] {end}`,
      '[127.0.0.1, {"cpu":"4"}] [127.0.0.2, {"cpu":"8"}] ',
    ],
    [String.raw`{range .items[*]}{.metadata.name}{'\t'}{end}`, '127.0.0.1\t127.0.0.2\t'],
    [String.raw`{.items[0].metadata.labels.kubernetes\.io/hostname}`, '127.0.0.1'],
  ])('prints the documented %j', (template, printed) => {
    expect(parseJsonPath(template).format(documented)).toBe(printed);
  });

  // Recorded from kubectl 1.32: kubectl label --local -f pod.json zz=1 -o jsonpath=TEMPLATE
  it.each<[template: string, printed: string]>([
    ['{.metadata.name}', 'web'],
    ['.metadata.name', '.metadata.name'],
    ['{.spec.containers[*].name}', 'main side'],
    [String.raw`{range .spec.containers[*]}{.name}{"\t"}{.image}{"\n"}{end}`, 'main\tbusybox\nside\tenvoy\n'],
    [
      '{.spec.containers[0]}',
      '{"image":"busybox","name":"main","ports":[{"containerPort":80},{"containerPort":8080}]}',
    ],
    ['{.spec.containers[-1].name}', 'side'],
    ['{.spec.containers[0:2].name}', 'main side'],
    ['{.spec.containers[0:1].name}', 'main'],
    ['{.spec.containers[?(@.name=="side")].image}', 'envoy'],
    ["{.spec.containers[?(@.name!='side')].image}", 'busybox'],
    ['{.spec.containers[*].ports[?(@.containerPort>100)].containerPort}', '8080'],
    [String.raw`{.metadata.annotations.kubernetes\.io/x}`, 'y'],
    [String.raw`{.metadata.annotations['kubernetes\.io/x']}`, 'y'],
    ["{.metadata['name','labels']}", 'web {"a.b/c":"dotted","app":"shop"}'],
    ['{..name}', 'web main side'],
    ['{.nope.x}', ''],
    ['a{.metadata.name}b', 'awebb'],
    ['{.spec.hostNetwork}', 'true'],
    ['{.metadata.name} {.spec.containers[0,1].name}', 'web main side'],
    ['{.spec.containers[?(@.ports)].name}', 'main'],
    ['{range .spec.containers[*]}{range .ports[*]}{.containerPort},{end};{end}', '80,8080,;;'],
    ['{.metadata.labels.*}', 'shop dotted'],
    ["{.spec.containers[*]['name','image']}", 'main side busybox envoy'],
    ['{range .spec.containers[*]}{.name}', 'mainside'],
    ['{$.metadata.name}', 'web'],
    ['{.metadata.name .x}', ''],
    [String.raw`{'a\nb'}`, 'a\nb'],
    ['{.spec.containers.name}', ''],
    ['{.spec.containers[::2].name}', 'main'],
    ['{.spec.containers[1:].name}', 'side'],
    ['{range .nope[*]}x{end}y', 'y'],
    ['{3}', '3'],
    ['{true}', 'true'],
    ['{..containerPort}', '80 8080'],
    ['{.spec.containers[*].ports[0].containerPort}', '80'],
  ])('prints %j as kubectl does', (template, printed) => {
    expect(parseJsonPath(template).format(pod)).toBe(printed);
  });

  it.each<[template: string, problem: string]>([
    ['{', 'unclosed action'],
    ['{.a', 'unclosed action'],
    ['{"a', 'unclosed action'],
    ['{end}', 'not in range, nothing to end'],
    ['{metadata.name}', 'unrecognized identifier metadata'],
    ['{.spec.containers[name]}', 'invalid array index name'],
    ['{.spec.containers[?(@.name=~"x")].name}', 'unrecognized character in action: ='],
    ['{.a[?(@.b=="x" && @.c=="y")]}', 'unrecognized character in action: &'],
    ['{.a[::0]}', 'step must be > 0'],
  ])('rejects %j', (template, problem) => {
    expect(() => parseJsonPath(template)).toThrow(problem);
  });

  it.each<[template: string, problem: string]>([
    ['{.spec.containers[5].name}', 'array index out of bounds: index 5, length 2'],
    ['{.metadata[0]}', 'is not array or slice'],
    ['{.spec.containers[?(@.name<1)]}', 'incompatible types for comparison'],
  ])('fails on an object that %j does not fit', (template, problem) => {
    expect(() => parseJsonPath(template).format(pod)).toThrow(problem);
  });
});

describe('parseFieldPath', () => {
  it.each(['.metadata.name', 'metadata.name', '{.metadata.name}', '{metadata.name}', '$.metadata.name'])(
    'reads %j',
    (path) => {
      expect(parseFieldPath(path).find(pod)).toEqual(['web']);
    },
  );

  it('rejects more than one path', () => {
    expect(() => parseFieldPath('{.a}{.b}')).toThrow('unexpected path string');
    expect(() => parseFieldPath(' ')).toThrow('is empty');
  });
});
