import { readFileSync } from 'node:fs';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { kubeletRoutes } from '@rxlet/kubelet-server/routes';
import { EMPTY } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { defaultDirectory, readVectorFile } from '../../vector-files.ts';
import { agentFamilies } from './agent-families.ts';

interface Recorded {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly help: string;
}

/** Returns the metrics that a kubelet was recorded to have at an endpoint. */
function recorded(endpoint: string): readonly Recorded[] {
  const lines = readFileSync(new URL('fixtures/probes-and-slis.tsv', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  return lines.flatMap((line) => {
    const [path, name = '', type = '', labels = '', , help = ''] = line.split('\t');
    return path === endpoint ? [{ name, type, labels: labels.split(',').filter(Boolean), help }] : [];
  });
}

/** Metrics of the process and of Node.js, and of what a kubelet does not have. */
const OWN = /^(?:rxlet_|nodejs_|process_(?:cpu_(?:system|user)_seconds_total|heap_bytes)$|cri_client_)/;

/** Metrics that a kubelet shows from their first measurement on, which the recorded one did not make. */
const NOT_MEASURED: readonly string[] = [
  'dra_grpc_operations_duration_seconds',
  'kubelet_certificate_manager_server_rotation_seconds',
  'kubelet_certificate_manager_server_ttl_seconds',
  'kubelet_container_aligned_compute_resources_count',
  'kubelet_container_aligned_compute_resources_failure_count',
  'kubelet_cpu_manager_allocation_per_numa',
  'kubelet_credential_provider_config_info',
  'kubelet_credential_provider_plugin_duration',
  'kubelet_credential_provider_plugin_errors_total',
  'kubelet_device_plugin_alloc_duration_seconds',
  'kubelet_device_plugin_registration_total',
  'kubelet_eviction_stats_age_seconds',
  'kubelet_image_garbage_collected_total',
  'kubelet_image_pull_duration_seconds',
  'kubelet_pod_deferred_accepted_resizes_total',
  'kubelet_pod_infeasible_resizes_total',
  'kubelet_pod_pending_resizes',
  'kubelet_pod_resources_endpoint_errors_get',
  'kubelet_pod_resources_endpoint_requests_get',
  'kubelet_pod_resources_endpoint_requests_get_allocatable',
  'kubelet_pod_resources_endpoint_requests_list',
  'kubelet_pod_resources_endpoint_requests_total',
  'kubelet_preemptions',
  'kubelet_run_podsandbox_errors_total',
  'kubelet_server_expiration_renew_errors',
  'kubelet_volume_stats_available_bytes',
  'kubelet_volume_stats_capacity_bytes',
  'kubelet_volume_stats_inodes',
  'kubelet_volume_stats_inodes_free',
  'kubelet_volume_stats_inodes_used',
  'kubelet_volume_stats_used_bytes',
];

describe('the metrics of the agent', () => {
  it('belong to a kubelet, to probes, or to the agent itself', async () => {
    const own = [...(await agentFamilies()).keys()].filter((name) => !OWN.test(name));
    const known = new Set(readVectorFile(defaultDirectory, 'metrics').map(({ vector }) => (vector as Recorded).name));
    const further = own.filter((name) => !known.has(name)).sort();
    expect(further).toEqual([...NOT_MEASURED, 'prober_probe_duration_seconds', 'prober_probe_total']);
  });

  it("match a kubelet's in type, text and labels for probes", async () => {
    const own = await agentFamilies();
    for (const { name, type, labels, help } of recorded('/metrics/probes')) {
      if (name === 'process_start_time_seconds') continue;
      expect(own.get(name), name).toMatchObject({ type, labels, help });
    }
  });

  it('at /metrics/slis are those of a kubelet', async () => {
    const checks = [{ name: 'ping', check: () => undefined }];
    const clock = createVirtualClock();
    const metrics = () => Promise.resolve({ contentType: '', text: '' });
    const events = { list: () => [], events$: EMPTY };
    const routes = kubeletRoutes(
      { clock, pods: { list: () => [], changes$: EMPTY }, events, healthChecks: checks, metrics },
      checks,
    );
    const requestPath = async (path: string): Promise<string> => {
      const route = routes.find((each) => 'pattern' in each && each.pattern === path)!;
      const request = { parameters: new URLSearchParams(), headers: {} } as never;
      return String((await (route as { handle(it: never): Promise<{ body: unknown }> }).handle(request)).body);
    };
    await requestPath('/healthz');
    const text = await requestPath('/metrics/slis');
    const described = [...text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)\n\S+?(?:\{(.*)\})? \S+$/gm)].map(
      ([, name, help, type, labels = '']) => {
        return { name, help, type, labels: [...labels.matchAll(/(\w+)="/g)].map(([, label]) => label) };
      },
    );
    expect(described).toEqual(recorded('/metrics/slis'));
  });
});
