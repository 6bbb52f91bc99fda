import { Protocol } from '@rxlet/cri-api';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { buildSandboxConfig } from './build-sandbox-config.ts';
import { podDns } from './dns-config.ts';
import { defaultNodeSettings, type NodeSettings } from './node-settings.ts';

const settings: NodeSettings = { ...defaultNodeSettings, memoryCapacityBytes: 1024n ** 3n };

function configOf(pod: Parameters<typeof testPod>[0]): ReturnType<typeof buildSandboxConfig> {
  const given = testPod(pod);
  return buildSandboxConfig({
    pod: given,
    attempt: 3,
    dns: podDns(given, { ...settings, resolvConf: undefined }),
    cgroupParent: '/x',
    settings,
  });
}

describe('buildSandboxConfig', () => {
  it('maps each port of the regular containers once', () => {
    const config = configOf({
      initContainers: [{ ports: [{ containerPort: 1 }] }],
      containers: [
        {
          ports: [{ containerPort: 80 }, { containerPort: 80 }, { containerPort: 80, protocol: 'UDP', hostPort: 8080 }],
        },
        {
          name: 'b',
          ports: [
            { name: 'p', containerPort: 90, hostIP: '::1' },
            { name: 'p', containerPort: 91 },
          ],
        },
      ],
    });
    expect(
      config.portMappings.map(({ protocol, containerPort, hostPort, hostIp }) => [
        protocol,
        containerPort,
        hostPort,
        hostIp,
      ]),
    ).toEqual([
      [Protocol.TCP, 80, 0, ''],
      [Protocol.UDP, 80, 8080, ''],
      [Protocol.TCP, 90, 0, '::1'],
    ]);
  });

  it('writes sysctls with dots', () => {
    const sysctls = [
      { name: 'kernel/shm_rmid_forced', value: '1' },
      { name: 'net/ipv4/conf/eth0.1/forwarding', value: '0' },
      { name: 'net.ipv4.ip_forward', value: '1' },
    ];
    expect(configOf({ spec: { securityContext: { sysctls } } }).linux?.sysctls).toEqual({
      'kernel.shm_rmid_forced': '1',
      'net.ipv4.conf.eth0/1.forwarding': '0',
      'net.ipv4.ip_forward': '1',
    });
  });

  it('does not let labels of the pod override its identity', () => {
    const config = configOf({ labels: { app: 'x', 'io.kubernetes.pod.uid': 'forged' } });
    expect(config.labels).toEqual({
      app: 'x',
      'io.kubernetes.pod.name': 'web',
      'io.kubernetes.pod.namespace': 'default',
      'io.kubernetes.pod.uid': 'uid-web',
    });
    expect(config).toMatchObject({ metadata: { attempt: 3 }, logDirectory: '/var/log/pods/default_web_uid-web' });
  });
});
