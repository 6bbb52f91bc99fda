import type { Event, Pod } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import { describePodLines } from './pod-description.ts';

const NOW_MS = Date.UTC(2026, 0, 1, 0, 10);

const pod: Pod = {
  metadata: {
    name: 'web-node1',
    namespace: 'shop',
    uid: 'b3a0',
    labels: { tier: 'front', app: 'web' },
    annotations: { 'kubernetes.io/config.source': 'file' },
  },
  spec: {
    nodeName: 'node1',
    terminationGracePeriodSeconds: 30,
    initContainers: [{ name: 'setup', image: 'busybox:1.36' }],
    containers: [
      {
        name: 'main',
        image: 'busybox:1.36',
        command: ['sh', '-c'],
        args: ['echo hi\nsleep 5'],
        ports: [{ containerPort: 80, hostPort: 8080 }],
        resources: { limits: { memory: '64Mi', cpu: 1 }, requests: { cpu: '250m' } },
        env: [
          { name: 'GREETING', value: 'hello' },
          { name: 'NOTHING' },
          { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
          { name: 'CPUS', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
          { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'login', key: 'token' } } },
        ],
      },
    ],
  },
  status: {
    phase: 'Running',
    startTime: '2026-01-01T00:00:00Z',
    hostIP: '192.0.2.7',
    podIP: '10.0.0.2',
    podIPs: [{ ip: '10.0.0.2' }, { ip: 'fd00::2' }],
    qosClass: 'Burstable',
    conditions: [
      { type: 'Initialized', status: 'True' },
      {
        type: 'Ready',
        status: 'False',
        reason: 'ContainersNotReady',
        message: 'containers with unready status: [main]',
      },
    ],
    initContainerStatuses: [
      {
        name: 'setup',
        image: 'busybox:1.36',
        imageID: 'sha256:1',
        ready: true,
        restartCount: 0,
        state: {
          terminated: {
            exitCode: 0,
            reason: 'Completed',
            startedAt: '2026-01-01T00:00:01Z',
            finishedAt: '2026-01-01T00:00:02Z',
          },
        },
      },
    ],
    containerStatuses: [
      {
        name: 'main',
        containerID: 'containerd://2',
        image: 'busybox:1.36',
        imageID: 'sha256:1',
        ready: false,
        restartCount: 2,
        state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 20s restarting failed container' } },
        lastState: { terminated: { exitCode: 137, signal: 9, message: 'line 1\nline 2' } },
      },
    ],
  },
};

const events: Event[] = [
  {
    metadata: {},
    involvedObject: {},
    type: 'Warning',
    reason: 'BackOff',
    message: 'Back-off restarting failed container\nwith more to say',
    count: 3,
    firstTimestamp: '2026-01-01T00:05:00Z',
    lastTimestamp: '2026-01-01T00:09:30Z',
  },
];

describe('describePodLines', () => {
  it("shows all about a pod in kubectl's order", () => {
    expect(describePodLines(pod, events, NOW_MS).join('\n')).toBe(
      `
Name:         web-node1
Namespace:    shop
UID:          b3a0
Node:         node1/192.0.2.7
Start Time:   2026-01-01T00:00:00Z
Labels:       app=web
              tier=front
Annotations:  kubernetes.io/config.source: file
Status:       Running
IP:           10.0.0.2
IPs:
  IP:  10.0.0.2
  IP:  fd00::2
Init Containers:
  setup:
    Image:          busybox:1.36
    Image ID:       sha256:1
    State:          Terminated
      Reason:       Completed
      Exit Code:    0
      Started:      2026-01-01T00:00:01Z
      Finished:     2026-01-01T00:00:02Z
    Ready:          True
    Restart Count:  0
Containers:
  main:
    Container ID:   containerd://2
    Image:          busybox:1.36
    Image ID:       sha256:1
    Port:           80/TCP (host 8080)
    Command:
      sh
      -c
    Args:
      echo hi
      sleep 5
    State:          Waiting
      Reason:       CrashLoopBackOff
      Message:      back-off 20s restarting failed container
    Last State:     Terminated
      Message:      line 1
                    line 2
      Exit Code:    137
      Signal:       9
    Ready:          False
    Restart Count:  2
    Limits:
      cpu:     1
      memory:  64Mi
    Requests:
      cpu:  250m
    Environment:
      GREETING:  hello
      NOTHING:   <empty>
      POD_NAME:  (v1:metadata.name)
      CPUS:      (limits.cpu)
      TOKEN:     <set to the key 'token' in secret 'login'>
Conditions:
  Type          Status   Reason               Message
  Initialized   True
  Ready         False    ContainersNotReady   containers with unready status: [main]
QoS Class:    Burstable
Events:
  Type      Reason    Age                Message
  Warning   BackOff   30s (x3 over 5m)   Back-off restarting failed container...
`.trim(),
    );
  });

  it('shows a pod of which nothing is known yet', () => {
    expect(
      describePodLines({ metadata: { name: 'web' }, spec: { containers: [{ name: 'main' }] } }, [], NOW_MS),
    ).toEqual([
      'Name:         web',
      'Node:         <none>',
      'Labels:       <none>',
      'Annotations:  <none>',
      'Status:       Pending',
      'Containers:',
      '  main:',
      'Events:       <none>',
    ]);
  });

  it('reports how long a pod has been leaving, and why one was rejected', () => {
    const leaving = { ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:09:50Z' } };
    const lines = describePodLines(leaving, [], NOW_MS);
    expect(lines).toContain('Status:                    Terminating (lasts 10s)');
    expect(lines).toContain('Termination Grace Period:  30s');

    const rejected: Pod = {
      spec: { containers: [] },
      status: { phase: 'Failed', reason: 'PodFeatureUnsupported', message: 'Pod was rejected: spec.volumes' },
    };
    expect(describePodLines(rejected, [], NOW_MS)).toEqual(
      expect.arrayContaining(['Reason:       PodFeatureUnsupported', 'Message:      Pod was rejected: spec.volumes']),
    );
  });
});
