import { type Metrics, noopMetrics } from '@rxlet/component-base/metrics';

/** Metrics of credential providers, under the kubelet's names. */
export interface ProviderMetrics {
  /** Records a run of a provider, and whether it failed. */
  ran(provider: string, durationMs: number, failed: boolean): void;
  /** Sets the hash of the configuration files in use. */
  configured(hash: string): void;
}

/** Creates {@link ProviderMetrics}. */
export function createProviderMetrics(metrics: Metrics = noopMetrics): ProviderMetrics {
  const errors = metrics.counter({
    name: 'kubelet_credential_provider_plugin_errors_total',
    help: 'Runs of a credential provider that failed.',
    labelNames: ['plugin_name'],
  });
  const durations = metrics.histogram({
    name: 'kubelet_credential_provider_plugin_duration',
    help: 'Seconds that runs of a credential provider took.',
    labelNames: ['plugin_name'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  const configuration = metrics.gauge({
    name: 'kubelet_credential_provider_config_info',
    help: 'The configuration of the credential providers that is in use.',
    labelNames: ['hash'],
  });
  return {
    ran(provider, durationMs, failed) {
      durations.observe(durationMs / 1000, { plugin_name: provider });
      if (failed) errors.inc({ plugin_name: provider });
    },
    configured: (hash) => configuration.set(1, { hash }),
  };
}
