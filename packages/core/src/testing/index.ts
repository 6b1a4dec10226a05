export { transcriptFaults } from './check-transcript.js';
export {
  type CrashFinding,
  type CrashReport,
  type CrashScenario,
  type CrashStorage,
  type ExploreOptions,
  exploreCrashes,
} from './crash-explorer.js';
export { type CrashPoint, CrashWorld, type Operation, SimulatedCrash } from './crash-world.js';
export { deliverSessionTurns, deliverTurns, type ScenarioTurn } from './deliver-turns.js';
export { EffectLedger } from './effect-ledger.js';
export {
  type MockAnswer,
  type MockModel,
  type MockModelOptions,
  type MockScriptTurn,
  type MockTurn,
  mockModel,
} from './mock-model.js';
export {
  comparable,
  type RecordedMessage,
  type RecordedTurn,
  recordedTurns,
  toRecording,
} from './recording.js';
export { type ReplayModel, replayModel } from './replay-model.js';
export { type VirtualTimers, virtualTimers } from './virtual-timers.js';
