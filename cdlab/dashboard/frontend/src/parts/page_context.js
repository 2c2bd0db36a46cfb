// The page, for every part of it, and what parts share.
import {signal} from "@preact/signals"
import {createContext} from "preact"
import {useContext, useLayoutEffect, useState} from "preact/hooks"

export const PageContext = createContext(/** @type {any} */ (null))

/** @returns {import("../page").Page} */
export const usePage = () => useContext(PageContext)

export const dark = signal(false)

/** The class that colours a side. @param {string} side */
export const colour = (side) => ({primal: "p", dual: "d"})[side] ?? "g"

/**
 * The size of an element, kept up to date.
 * @param {import("preact").RefObject<HTMLElement | null>} ref @returns {{width: number, height: number}}
 */
export function useSize(ref) {
  const [size, setSize] = useState({width: 0, height: 0})
  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return
    const measure = () => setSize({width: element.clientWidth, height: element.clientHeight})
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return size
}

/** Whether a media query holds, kept up to date. @param {string} query */
export function useMedia(query) {
  const [holds, setHolds] = useState(() => matchMedia(query).matches)
  useLayoutEffect(() => {
    const media = matchMedia(query)
    const change = () => setHolds(media.matches)
    change()
    media.addEventListener("change", change)
    return () => media.removeEventListener("change", change)
  }, [query])
  return holds
}

/**
 * Bring an element to the top of this document, and leave a page that shows it in a frame where it is.
 * @param {Element | null | undefined} element
 */
export function scrollToTop(element) {
  if (element) scrollBy(0, element.getBoundingClientRect().top - (Number.parseFloat(getComputedStyle(element).scrollMarginTop) || 0))
}

export const PHONE = "(max-width: 1259px)" // where the columns have no room: an article
export const NARROW = "(max-width: 1360px)"
