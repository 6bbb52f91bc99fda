import { describe, expect, it } from 'vitest';
import type { Container, LifecycleHandler } from '@rxlet/kube-api';
import { ContainerAnnotation } from '@rxlet/pod-model';
import { testPod } from '@rxlet/pod-model/testing';
import { containerAnnotations } from './container-metadata.ts';

function annotationsOf(container: Partial<Container>): Record<string, string> {
  const pod = testPod({ containers: [container] });
  return containerAnnotations(pod, pod.spec!.containers[0]!, 0);
}

describe('container annotations', () => {
  it.each<[LifecycleHandler, string]>([
    [{ exec: { command: ['sh', '-c', 'a && b'] } }, String.raw`{"exec":{"command":["sh","-c","a \u0026\u0026 b"]}}`],
    [{ exec: {} }, '{"exec":{}}'],
    [
      { httpGet: { httpHeaders: [{ value: '1', name: 'X' }], host: '', scheme: 'HTTP', port: 'web', path: '/bye' } },
      '{"httpGet":{"path":"/bye","port":"web","scheme":"HTTP","httpHeaders":[{"name":"X","value":"1"}]}}',
    ],
    [{ httpGet: { port: 80, httpHeaders: [] } }, '{"httpGet":{"port":80}}'],
    [{ tcpSocket: { host: 'h', port: 80 } }, '{"tcpSocket":{"port":80,"host":"h"}}'],
    [{ sleep: { seconds: 0 } }, '{"sleep":{"seconds":0}}'],
  ])('hold the preStop hook as a kubelet writes it: %j', (preStop, want) => {
    expect(annotationsOf({ lifecycle: { preStop } })[ContainerAnnotation.preStopHandler]).toBe(want);
  });

  it('contain the ports in the kubelet’s notation', () => {
    const ports = [{ protocol: 'TCP', containerPort: 80, hostPort: 0, name: 'web' }, { containerPort: 81 }] as const;
    expect(annotationsOf({ ports })[ContainerAnnotation.ports]).toBe(
      '[{"name":"web","containerPort":80,"protocol":"TCP"},{"containerPort":81}]',
    );
    expect(annotationsOf({ ports: [] })).not.toHaveProperty([ContainerAnnotation.ports]);
  });
});
