"""Small programs in several languages, with the names that each defines."""

PYTHON = '''\
"""Roofs."""
import os

LIMIT = 3


# Comment of the class.
@decorated
class Roof(
    Base,
):
    """A roof.

def not_a_function():
    """

    size = 1

# a comment that is not indented
    def mend(self):
        text = """
class NotOne:
"""
        return text

    class Inner:
        def deep(self): pass


async def build(
    a,
):
    return a
'''
JAVASCRIPT = """\
import x from "y";

/* A class,
   function fake() {}
*/
export default class Roof extends Base {
  size = 1;

  // Mends.
  mend(straw) {
    return `${straw}`;
  }
}

export const build = async (a) => {
  return a;
};

function thatch() {
  return "/*";
}
"""
TYPESCRIPT = """\
@Component({
  selector: "roof",
})
export class Roof {
  constructor(private size: number) {
    this.size = 2;
  }

  mend(straw: string): void {
    return;
  }
}

export interface Straw {
  length: number;
}

export function build(): Roof {
  return new Roof(1);
}
"""
JAVA = """\
package roofs;

/**
 * A roof.
 */
public class Roof {
    private int size;

    public Roof(int size) {
        this.size = size;
    }

    @Override
    public String toString() {
        return "}";
    }
}
"""
GO = """\
package roofs

import "fmt"

// Roof is one.
type Roof struct {
\tSize int
}

func (r *Roof) Mend() {
\tfmt.Println("x")
}

func Build() *Roof {
\treturn &Roof{}
}
"""
RUST = """\
use std::fmt;

/// A roof.
#[derive(Debug)]
pub struct Roof {
    size: u8,
}

impl fmt::Display for Roof {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        Ok(())
    }
}

pub fn build() -> Roof {
    Roof { size: 1 }
}
"""
C = """\
#include <stdio.h>

struct roof {
    int size;
};

/* Mends. */
static int
mend(struct roof *r)
{
#ifdef FAST
    return 1;
#endif
    return r->size;
}

int main(void) {
    return 0;
}
"""
CPP = """\
#include <string>

class Roof : public Base {
public:
    Roof();
    void mend() const {
        return;
    }

private:
    int size;
};

template <typename T>
T build(T a) {
    return a;
}
"""
C_SHARP = """\
using System;

namespace Roofs
{
    [Serializable]
    public class Roof
    {
        private int size;

        public void Mend()
        {
            size = 1;
        }
    }
}
"""
RUBY = """\
require "set"

module Roofs
  # A roof.
  class Roof < Base
    attr_reader :size

    def mend
      1
    end

    def self.build
      new
    end
  end
end
"""
PHP = """\
<?php

class Roof
{
    private $size;

    public function mend()
    {
        return 1;
    }
}

function build() {
    return new Roof();
}
"""
BASH = """\
#!/bin/bash
set -e

mend() {
  echo "mended"
}

function build {
  echo "built"
}

mend
"""
KOTLIN = """\
package roofs

class Roof(val size: Int) {
    fun mend(): Int {
        return size
    }
}

fun build() = Roof(1)
"""
SWIFT = """\
import Foundation

class Roof: Base {
    var size = 1

    func mend() -> Int {
        return size
    }
}

func build() -> Roof {
    return Roof()
}
"""
SCALA = """\
package roofs

class Roof(size: Int) {
  def mend(): Int = {
    size
  }
}

object Roof {
  def build(): Roof = new Roof(1)
}
"""

#: Name of a file, its text, and some of what it defines.
SOURCES = {
    "roof.py": (PYTHON, {"Roof", "Roof.mend", "Roof.Inner", "build"}),
    "roof.js": (JAVASCRIPT, {"Roof", "Roof.mend", "build", "thatch"}),
    "roof.ts": (TYPESCRIPT, {"Roof", "Roof.mend", "Straw", "build"}),
    "roof.tsx": (TYPESCRIPT, {"Roof", "Roof.mend", "Straw", "build"}),
    "Roof.java": (JAVA, {"Roof", "Roof.toString"}),
    "roof.go": (GO, {"Roof", "Mend", "Build"}),
    "roof.rs": (RUST, {"Roof", "Roof.fmt", "build"}),
    "roof.c": (C, {"roof", "mend", "main"}),
    "roof.cpp": (CPP, {"Roof", "Roof.mend", "build"}),
    "Roof.cs": (C_SHARP, {"Roofs", "Roofs.Roof", "Roofs.Roof.Mend"}),
    "roof.rb": (RUBY, {"Roofs", "Roofs.Roof", "Roofs.Roof.mend"}),
    "roof.php": (PHP, {"Roof", "Roof.mend", "build"}),
    "roof.sh": (BASH, {"mend", "build"}),
    "roof.kt": (KOTLIN, {"Roof", "Roof.mend", "build"}),
    "roof.swift": (SWIFT, {"Roof", "Roof.mend", "build"}),
    "roof.scala": (SCALA, {"Roof", "Roof.mend", "Roof.build"}),
}
