/** Families that the agent does not have, with the reason. A `*` stands for any rest of a name. */
export const ABSENT_FAMILIES: readonly (readonly [names: readonly string[], reason: string])[] = [
  [['go_*'], "of Go's runtime; `nodejs_*` has those of Node.js"],
  [
    ['aggregator_*', 'apiserver_audit_*', 'apiserver_envelope_*', 'apiserver_storage_*', 'apiserver_validation_*'],
    'of API servers; always zero in a kubelet',
  ],
  [['apiserver_webhooks_x509_*'], 'certificates with which a TLS connection of Node.js fails anyway'],
  [
    ['cardinality_enforcement_*', 'disabled_metrics_total', 'hidden_metrics_total', 'registered_metrics_total'],
    "of Kubernetes' library of metrics",
  ],
  [
    ['rest_client_exec_plugin_*', 'rest_client_transport_*', 'workqueue_*'],
    "of plugins, connections and queues of Go's client",
  ],
  [
    ['kubelet_graceful_shutdown_*'],
    'they exist once a grace period of a shutdown is configured, without which they are always zero in a kubelet',
  ],
  [
    ['kubelet_pod_watch_events_dropped_total'],
    'it exists with the feature gate `PodsAPI`, without which it is always zero in a kubelet',
  ],
  [['kubelet_pleg_discard_events'], 'pod events are never dropped'],
  [['kubelet_cri_losing_support'], 'it exists with a runtime without the call `RuntimeConfig`, as in a kubelet'],
  [['force_cleaned_*'], 'a volume whose record is damaged is removed like others'],
  [['kubernetes_feature_enabled'], 'most gates are of code that the agent does not have; `/configz` has their values'],
];

/** Reports whether a family is one of those that the agent does not have. */
export function isAbsent(name: string): boolean {
  return ABSENT_FAMILIES.some(([names]) =>
    names.some((listed) => (listed.endsWith('*') ? name.startsWith(listed.slice(0, -1)) : name === listed)),
  );
}
