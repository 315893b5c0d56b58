# An image of EC2: packer init . && packer build -var-file=runner.pkrvars.hcl .
packer {
  required_plugins {
    amazon = {
      source  = "github.com/hashicorp/amazon"
      version = ">= 1.3.0, < 2.0.0"
    }
  }
}

variable "region" {
  type = string
}

variable "runner_version" {
  type        = string
  description = "A release of https://github.com/actions/runner, without its v."
}

variable "runner_sha256" {
  type        = string
  description = "The SHA-256 that the release names for its Linux archive of the architecture."
}

variable "arch" {
  type    = string
  default = "x64"

  validation {
    condition     = contains(["x64", "arm64"], var.arch)
    error_message = "The architecture is x64 or arm64."
  }
}

variable "packages" {
  type        = string
  default     = "git jq unzip zip"
  description = "What jobs find installed."
}

variable "sudo" {
  type        = bool
  default     = false
  description = "Whether jobs may become root on their machine."
}

locals {
  ubuntu_arch = var.arch == "x64" ? "amd64" : "arm64"
  made        = formatdate("YYYYMMDD-hhmmss", timestamp())
}

source "amazon-ebs" "runner" {
  region        = var.region
  instance_type = var.arch == "x64" ? "m7i.large" : "m7g.large"
  ssh_username  = "ubuntu"
  # The key that Packer came in with.
  ssh_clear_authorized_keys = true
  ami_name                  = "runner-${var.runner_version}-${var.arch}-${local.made}"
  imds_support              = "v2.0"

  source_ami_filter {
    owners      = ["099720109477"]
    most_recent = true
    filters = {
      name                = "ubuntu/images/hvm-ssd-gp3/ubuntu-noble-24.04-${local.ubuntu_arch}-server-*"
      root-device-type    = "ebs"
      virtualization-type = "hvm"
    }
  }

  metadata_options {
    http_endpoint = "enabled"
    http_tokens   = "required"
  }

  launch_block_device_mappings {
    device_name           = "/dev/sda1"
    volume_size           = 20
    volume_type           = "gp3"
    delete_on_termination = true
  }

  tags = {
    Name           = "runner"
    runner-version = var.runner_version
  }
}

build {
  sources = ["source.amazon-ebs.runner"]

  provisioner "shell" {
    script          = "${path.root}/../install-runner.sh"
    execute_command = "sudo env {{ .Vars }} bash {{ .Path }}"
    environment_vars = [
      "RUNNER_VERSION=${var.runner_version}",
      "RUNNER_SHA256=${var.runner_sha256}",
      "RUNNER_ARCH=${var.arch}",
      "RUNNER_SUDO=${var.sudo ? "yes" : "no"}",
      "PACKAGES=${var.packages}",
    ]
  }
}
