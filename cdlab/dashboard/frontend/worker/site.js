/* What the page has loaded, and what it loads when it is asked for. */

/**
 * page.json: what Python has written for this engine.
 * @typedef {{catalog: import("../src/schema").Catalog, words: Record<string, string>, families: Record<string, Record<string, string>>, ranges: Record<string, [number, number]>,
 *   samplings: Record<string, {has_theorem: boolean}>, batches: string[], rules: Record<import("../wasm/names").RuleName, any>, explanations: {thresholds: Record<string, number>, counterparts: Record<string, Record<string, string>>, templates: Record<string, string>, "exact steps": string[]}, script: string, version: string}} PageFile
 */

/** @type {PageFile & {lab: import("../wasm/types").Lab, theory: import("../wasm/types").BoundFile, read: (name: string) => Promise<ArrayBuffer>}} */
export const site = /** @type {any} */ ({})
