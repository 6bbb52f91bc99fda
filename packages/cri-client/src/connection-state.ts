import type { CriError } from './cri-error.ts';

/**
 * State of the connection to a runtime.
 *
 * ```text
 *            first call              handshake done
 *   idle ──────────────▶ connecting ───────────────▶ ready
 *                         ▲   │  attempt failed        │
 *                         │   ▼                        │ connection lost
 *                         │ unavailable ──────▶ ready  │
 *                         └────────────────────────────┘
 * ```
 *
 * - `idle`: no call has been made yet, and no connection attempted.
 * - `connecting`: calls wait for the outcome of the attempt.
 * - `ready`: calls go out at once.
 * - `unavailable`: attempts continue in the background with a growing delay; calls fail at once with the same kind of error as `error`.
 */
export type ConnectionState =
  | {
      readonly kind: 'idle' | 'connecting' | 'ready';
      /** Time of the last change, in milliseconds since the epoch. */
      readonly sinceMs: number;
    }
  | {
      readonly kind: 'unavailable';
      readonly sinceMs: number;
      /** Error of the last attempt. */
      readonly error: CriError;
    };
