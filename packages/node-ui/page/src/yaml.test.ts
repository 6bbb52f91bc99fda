import { describe, expect, it } from 'vitest';
import { toYaml } from './yaml.ts';

describe('YAML of an object', () => {
  it('is what kubectl shows', () => {
    const pod = {
      apiVersion: 'v1',
      metadata: { name: 'web', labels: {}, annotations: { text: 'a\nb\n', 'quoted: key': 'yes' } },
      spec: { containers: [{ name: 'main', args: ['-c', 'echo "x": 1'], ports: [] }], priority: 0, hostNetwork: true },
    };
    expect(toYaml(pod)).toBe(`apiVersion: v1
metadata:
  name: web
  labels: {}
  annotations:
    text: |
      a
      b
    "quoted: key": "yes"
spec:
  containers:
  - name: main
    args:
    - "-c"
    - "echo \\"x\\": 1"
    ports: []
  priority: 0
  hostNetwork: true`);
  });
});
